"""What the browser brings back (RFC 6749 §4.1.2)."""

from .digests import same
from .encoding import parameters
from .errors import DrawbridgeError, refused


def code_of(address: str, redirect: str, state: str, issuer: str, metadata: dict) -> str:
    """The code, once every check of RFC 8252 and RFC 9207 has passed."""
    place, mark, query = address.partition("?")
    expected, _, own = redirect.partition("?")
    # The answer is appended to the redirect address's own query (RFC 6749 §3.1.2), which has to be there (RFC 8252 §8.10).
    keeps_own = not own or f"{query}&".startswith(own if own.endswith("&") else f"{own}&")
    if place != expected or not keeps_own:
        raise DrawbridgeError("answer.other_address")
    found = None if not mark or "#" in query else parameters(query)
    if found is None:
        raise DrawbridgeError("answer.malformed")

    def single(name: str) -> str | None:
        values = [value for other, value in found if other == name]
        if len(values) > 1:
            raise DrawbridgeError("answer.malformed")
        return values[0] if values else None

    said = single("state")
    if said is None or not same(said, state):
        raise DrawbridgeError("answer.foreign_state")
    # Before anything else is read: an answer of another provider must not even make us show its error.
    said_issuer = single("iss")
    needed = metadata.get("authorization_response_iss_parameter_supported") is True
    if (said_issuer != issuer) if said_issuer is not None else needed:
        raise DrawbridgeError("answer.other_issuer")
    code, error = single("code"), single("error")
    if error is not None:
        if code is not None or error == "":
            raise DrawbridgeError("answer.no_code")
        description = single("error_description")
        # Whoever gives another reason than the person's own no is heard: there may be something to do about it.
        if error == "access_denied" and description in (None, "the user declined"):
            raise DrawbridgeError("cancelled")
        raise refused({"error": error, "error_description": description})
    if not code:
        raise DrawbridgeError("answer.no_code")
    return code
