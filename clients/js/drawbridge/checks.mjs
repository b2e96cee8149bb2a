// What a value of an answer, or of the app, has to be.

export const isText = (value) => typeof value === "string" && value !== "";

/** What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12). */
export const isVisible = (value) => typeof value === "string" && /^[!-~]+$/.test(value);

/** One that a line of a log can hold, for people to pass on. */
export const isRequestId = (value) => isVisible(value) && value.length <= 128;
