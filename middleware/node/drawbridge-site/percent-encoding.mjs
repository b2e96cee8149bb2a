// Percent-encoding: of what goes into an address, and as Drawbridge writes header fields.

/** As `encodeURIComponent`, and with the marks that it leaves. */
export const encoded = (text) => encodeURIComponent(text)
  .replace(/[!'()*]/g, (mark) => '%' + mark.charCodeAt(0).toString(16).toUpperCase());

/** Drawbridge percent-encodes whatever is not visible ASCII. */
export function decoded(value) {
  if (!/^(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*$/.test(value)) return null;
  try { return decodeURIComponent(value); } catch { return null; }
}
