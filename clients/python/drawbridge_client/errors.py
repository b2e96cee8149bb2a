"""What can go wrong, each with a sentence for developers."""

import re

SENTENCES = {
    "configuration": "The app's settings or the arguments of a call cannot work; correct what is named here",
    "unreachable": "No whole answer came from the provider; check the network and ask again",
    "come_back_later": "The provider asks to come back later; wait before you ask again",
    "refused": "The provider refused the request",
    "unexpected_answer": "The answer is not one that this request can have; check that the issuer is a Drawbridge",
    "provider.other_issuer": "The provider's description names another issuer; set the issuer to what it calls itself",
    "provider.endpoint": "An endpoint in the provider's description is missing or not https; "
    "mend the provider's configuration",
    "provider.no_pkce": "The provider does not know PKCE with S256, without which no app should sign in; "
    "check that the issuer is a Drawbridge",
    "provider.malformed": "A document of the provider cannot be read; check that the issuer is a Drawbridge",
    "answer.other_address": "The browser's answer came to another address than the redirect_uri; drop it",
    "answer.malformed": "The browser's answer cannot be read or says something twice; let the person sign in again",
    "answer.foreign_state": "The browser's answer does not belong to this sign-in and may be somebody else's; drop it",
    "answer.other_issuer": "The browser's answer comes from another provider than the one that was asked; drop it",
    "answer.no_code": "The browser's answer has no code, or a code and an error; let the person sign in again",
    "id_token.missing": "The answer has no ID token; put openid into the app's scope",
    "id_token.malformed": "The ID token cannot be read as a JWT with the claims that every one has; "
    "check that the issuer is a Drawbridge",
    "id_token.algorithm": "The ID token is not signed with ES256; set id_token_signed_response_alg of the app to ES256",
    "id_token.unknown_key": "The ID token's key is not among those that the provider publishes; "
    "check what the provider's jwks_uri serves",
    "id_token.signature": "The signature of the ID token does not fit, somebody may have changed it; "
    "let the person sign in again",
    "id_token.issuer": "The ID token is of another provider than the one that was asked; check the issuer",
    "id_token.audience": "The ID token is meant for another app; check the client_id",
    "id_token.expired": "The ID token has expired; check this device's clock",
    "id_token.issued_in_future": "The ID token is from the future; check this device's clock",
    "id_token.nonce": "The nonce of the ID token is of another sign-in; let the person sign in again",
    "id_token.auth_time": "The ID token does not show that the person signed in as lately as max_age wants; "
    "let the person sign in again",
    "id_token.subject": "The answer is about somebody else than the person who is signed in; "
    "let the person sign in again",
    "id_token.access_token_hash":
        "The ID token belongs to another access token (at_hash), so the answer was put together; "
    "let the person sign in again",
    "id_token.device_secret_hash":
        "The ID token belongs to another device secret (ds_hash), so the answer was put together; "
    "let the person sign in again",
    "not_signed_in": "Nobody is signed in in this app; let the person sign in first",
    "secret_store": "The place for secrets does not work; see what the store reports",
    "signed_out_here_only": "Signed out on this device, but the provider could not be told and its sessions run on; "
    "tell the person, who can end them on the account page",
    "cancelled": "The person closed the browser or said no; show no error, and offer the sign-in again",
    "timed_out": "No answer came in time from the person who should sign in; offer the sign-in again",
}

#: What to do about a refusal, by the provider's code.
ADVICE = {
    "invalid_token": "the bearer is expired, revoked or not of a trusted issuer: get a fresh one",
    "invalid_redirect": "the page is not open to links: add the path to the website's return_paths",
    "invalid_target": "there is no such website: check the website's client_id",
    "unauthorized_client": "this app may not do that: see can_issue_login_tokens and may_reach of the app",
    "invalid_grant": "the grant is used up or ended: let the person sign in again",
    "invalid_scope": "ask for no more than the app is registered for",
    "invalid_client": "check the client_id",
    "access_denied": "the app or the person may not: see who may, in the app's registration and the provider's log",
    "login_required": "let the person sign in again",
    "insufficient_user_authentication": "let the person sign in again, with the acr_values and max_age that it names",
}
OTHER_ADVICE = "look its code up on the provider's page /errors"


class DrawbridgeError(Exception):
    """Every error of this library: `code` is stable, the text says what is wrong and what to do; no secret is in it."""

    def __init__(self, code: str, detail: object = None, oauth: str | None = None, seconds: int | None = None,
                 request_id: str | None = None, page: str | None = None, acr_values: list | None = None,
                 max_age: int | None = None):
        """`request_id` finds the request in the provider's log; `page` is one of the provider's that explains the error.
        `acr_values` and `max_age` are what a refusal wants of a sign-in, for `sign_in`; None where it does not say."""
        # Without control characters, which a terminal would obey, and without halves of characters, which print nowhere.
        if detail is None and seconds is not None:
            detail = f"{seconds} s"
        said = None if detail is None else re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "?", str(detail))[:300]
        advice = ADVICE.get(oauth or "", OTHER_ADVICE) if code == "refused" else None
        super().__init__(": ".join(filter(None, [SENTENCES.get(code, code), said, advice])))
        self.code, self.oauth, self.seconds, self.request_id, self.page = code, oauth, seconds, request_id, page
        self.acr_values, self.max_age = acr_values, max_age

    @property
    def ends_sign_in(self) -> bool:
        """The grant, secret or session that was relied on is gone: sign in again."""
        return self.code == "refused" and self.oauth in ("invalid_grant", "invalid_token")


def refused(body: dict, request_id: str | None = None, page: str | None = None, acr_values: list | None = None,
            max_age: int | None = None) -> DrawbridgeError:
    error, description = body["error"], body.get("error_description")
    text = f"{error} ({description})" if isinstance(description, str) and description else error
    return DrawbridgeError("refused", text, error, None, request_id, page, acr_values, max_age)


def wrong(text: str) -> DrawbridgeError:
    return DrawbridgeError("configuration", text)


def hosted(what: str, work, *arguments):
    """Work of a part that the app has brought; what it raises is named, and its text, which may hold secrets, is not."""
    try:
        return work(*arguments)
    except DrawbridgeError:
        raise
    except Exception as error:
        raise wrong(f"{what} failed: {type(error).__name__}") from None


def tried(work, *arguments) -> tuple:
    """What it gives, and None; or None, and what went wrong."""
    try:
        return work(*arguments), None
    except DrawbridgeError as error:
        return None, error
