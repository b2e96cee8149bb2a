// What can go wrong, each with a sentence for developers.

const sentences = {
    "configuration": "The app's settings or the arguments of a call cannot work; correct what is named here",
    "unreachable": "No whole answer came from the provider; check the network and ask again",
    "come_back_later": "The provider asks to come back later; wait before you ask again",
    "refused": "The provider refused the request",
    "unexpected_answer": "The answer is not one that this request can have; check that the issuer is a Drawbridge",
    "provider.other_issuer": "The provider's description names another issuer; set the issuer to what it calls itself",
    "provider.endpoint": "An endpoint in the provider's description is missing or not https; "
        + "mend the provider's configuration",
    "provider.no_pkce": "The provider does not know PKCE with S256, without which no app should sign in; "
        + "check that the issuer is a Drawbridge",
    "provider.malformed": "A document of the provider cannot be read; check that the issuer is a Drawbridge",
    "answer.other_address": "The browser's answer came to another address than the redirect_uri; drop it",
    "answer.malformed": "The browser's answer cannot be read or says something twice; let the person sign in again",
    "answer.foreign_state": "The browser's answer does not belong to this sign-in and may be somebody else's; drop it",
    "answer.other_issuer": "The browser's answer comes from another provider than the one that was asked; drop it",
    "answer.no_code": "The browser's answer has no code, or a code and an error; let the person sign in again",
    "id_token.missing": "The answer has no ID token; put openid into the app's scope",
    "id_token.malformed": "The ID token cannot be read as a JWT with the claims that every one has; "
        + "check that the issuer is a Drawbridge",
    "id_token.algorithm": "The ID token is not signed with ES256; set id_token_signed_response_alg of the app to ES256",
    "id_token.unknown_key": "The ID token's key is not among those that the provider publishes; "
        + "check what the provider's jwks_uri serves",
    "id_token.signature": "The signature of the ID token does not fit, somebody may have changed it; "
        + "let the person sign in again",
    "id_token.issuer": "The ID token is of another provider than the one that was asked; check the issuer",
    "id_token.audience": "The ID token is meant for another app; check the client_id",
    "id_token.expired": "The ID token has expired; check this device's clock",
    "id_token.issued_in_future": "The ID token is from the future; check this device's clock",
    "id_token.nonce": "The nonce of the ID token is of another sign-in; let the person sign in again",
    "id_token.auth_time": "The ID token does not show that the person signed in as lately as maxAge wants; "
        + "let the person sign in again",
    "id_token.subject": "The answer is about somebody else than the person who is signed in; "
        + "let the person sign in again",
    "id_token.access_token_hash": "The ID token belongs to another access token (at_hash), so the answer was put together; "
        + "let the person sign in again",
    "id_token.device_secret_hash": "The ID token belongs to another device secret (ds_hash), so the answer was put together; "
        + "let the person sign in again",
    "not_signed_in": "Nobody is signed in in this app; let the person sign in first",
    "secret_store": "The place for secrets does not work; see what the store reports",
    "signed_out_here_only": "Signed out on this device, but the provider could not be told and its sessions run on; "
        + "tell the person, who can end them on the account page",
    "cancelled": "The person closed the browser or said no; show no error, and offer the sign-in again",
    "timed_out": "No answer came in time from the person who should sign in; offer the sign-in again",
};

/** What can be done about a refusal that developers meet. */
const advice = {
    __proto__: null,
    invalid_token: "the bearer is expired, revoked or not of a trusted issuer: get a fresh one",
    invalid_redirect: "the page is not open to links: add the path to the website's return_paths",
    invalid_target: "there is no such website: check the website's client_id",
    unauthorized_client: "this app may not do that: see can_issue_login_tokens and may_reach of the app",
    invalid_grant: "the grant is used up or ended: let the person sign in again",
    invalid_scope: "ask for no more than the app is registered for",
    invalid_client: "check the client_id",
    access_denied: "the app or the person may not: see who may, in the app's registration and the provider's log",
    login_required: "let the person sign in again",
    insufficient_user_authentication: "let the person sign in again, with the acr_values and max_age that it names",
};
const otherAdvice = "look its code up on the provider's page /errors";

/** Every error of this library: `code` is stable, the message says what is wrong and what to do; no secret is in it. */
export class DrawbridgeError extends Error {
    constructor(code, detail, more = {}) {
        const hint = code === "refused" ? advice[more.oauth] ?? otherAdvice : undefined;
        const seconds = more.seconds == null ? undefined : `${more.seconds} s`;
        super([sentences[code] ?? code, printable(detail ?? seconds), hint].filter(Boolean).join(": "));
        this.name = "DrawbridgeError";
        this.code = code;
        this.oauth = more.oauth ?? null;
        this.seconds = more.seconds ?? null;
        this.requestId = more.requestId ?? null;
        this.page = more.page ?? null;
        this.acrValues = more.acrValues ?? null;
        this.maxAge = more.maxAge ?? null;
    }

    /** The grant, secret or session that was relied on is gone: sign in again. */
    get endsSignIn() {
        return this.code === "refused" && (this.oauth === "invalid_grant" || this.oauth === "invalid_token");
    }
}

// Without control characters: a terminal would obey them.
const printable = (text) =>
    // eslint-disable-next-line no-control-regex
    text === undefined ? undefined : String(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, "?").slice(0, 300);

export const refused = (body, more = {}) =>
    new DrawbridgeError("refused", refusalText(body), { ...more, oauth: body.error });

const refusalText = (body) =>
    typeof body.error_description === "string" && body.error_description !== ""
        ? `${body.error} (${body.error_description})` : body.error;

export const wrong = (text) => new DrawbridgeError("configuration", text);

/** An error of this library as it is; of any other its name alone, since its text may hold secrets. */
export const typed = (error) =>
    error instanceof DrawbridgeError ? error : new DrawbridgeError("unexpected_answer", error?.name);

/** Work of a part that the app has brought; what it throws is named, and its text, which may hold secrets, is not. */
export const ofHost = async (what, work) => {
    try {
        return await work();
    } catch (error) {
        throw error instanceof DrawbridgeError ? error : wrong(`${what} failed: ${error?.name ?? "error"}`);
    }
};
