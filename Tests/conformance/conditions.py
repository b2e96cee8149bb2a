"""What the suite checks again and again: keys, ID tokens, claims, error answers."""

import math
import re
import time
from collections import Counter
from datetime import date

import jose
import signing
from report import Report
from wire import Answer

SKEW = 5 * 60
#: Standard claims of each scope (OpenID Connect Core §5.4), as the suite expects them all.
SCOPE_CLAIMS = {
    "profile": {"name", "given_name", "family_name", "middle_name", "nickname", "profile", "picture", "website", "gender",
                "birthdate", "zoneinfo", "locale", "updated_at", "preferred_username"},
    "email": {"email", "email_verified"}, "address": {"address"}, "phone": {"phone_number", "phone_number_verified"},
    "openid": {"sub"}, "offline_access": set(),
}
ID_TOKEN_CLAIMS = {"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash", "nbf",
                   "jti", "sid", "s_hash"}
#: RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6.
AUTHORIZATION_ERRORS = {
    "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope", "server_error",
    "temporarily_unavailable", "interaction_required", "login_required", "account_selection_required", "consent_required",
    "invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
    "registration_not_supported"}
#: What `prompt=none` is answered with when somebody would have to be asked.
NEEDS_A_PERSON = {"interaction_required", "login_required", "account_selection_required", "consent_required"}
TOKEN_ERRORS = {"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
                "invalid_scope"}
BOOLEANS, NUMBERS, OBJECTS = {"email_verified", "phone_number_verified"}, {"updated_at"}, {"address"}


def entropy(text: str) -> float:
    """Shannon's, over the characters; the suite asks for 96 bits where 128 are meant."""
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares) * len(text)


# Keys

def check_keys(report: Report, keys: list[dict]):
    report.must(bool(keys), "there are keys")
    for key in keys:
        report.must(not jose.SECRET_MEMBERS & set(key), "no key has private or symmetric members")
        report.must(bool(key.get("kid")), "each key has a kid")
        jose.public_key(key)
    report.must(len({key["kid"] for key in keys}) == len(keys), "the kids are distinct")


# ID tokens

def check_id_token(report: Report, token: str, keys: list[dict], issuer: str, client: str, nonce: str | None) -> dict:
    header, claims = signing.parts(token)
    now = time.time()
    report.must(claims["iss"] == issuer, "iss is the issuer")
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    report.must(client in audience, "aud is the client")
    report.must(now - SKEW < claims["exp"] < now + 50 * 365 * 86_400, "exp is ahead, and not in milliseconds")
    report.must(now - SKEW < claims["iat"] < now + SKEW, "iat is now")
    if "auth_time" in claims:
        report.must(now - 365 * 86_400 < claims["auth_time"] < now + SKEW, "auth_time is a time of this year")
    report.must(claims.get("acr") != "", "acr is not empty")
    report.must(claims.get("nonce") == nonce, "nonce is the one sent")
    key = next((key for key in keys if key["kid"] == header.get("kid")), None)
    report.must(key is not None and key["alg"] == header["alg"], "kid names a published key of this algorithm")
    report.must(jose.is_signed_by(key, token), "the signature is right")
    report.must(0 < len(claims["sub"]) <= 255 and claims["sub"].isascii(), "sub is 1 to 255 ASCII characters")
    check_standard_claims(report, claims)
    return claims


def check_at_hash(report: Report, claims: dict, access_token: str):
    if "at_hash" in claims:
        report.must(claims["at_hash"] == signing.half_hash(access_token), "at_hash is the access token's")


def is_date_of_birth(text: str) -> bool:
    if re.fullmatch(r"\d{4}", text):
        return 1850 <= int(text) <= date.today().year
    try:
        return bool(date.fromisoformat(text.replace("0000-", "2000-", 1)))
    except ValueError:
        return False


def check_standard_claims(report: Report, claims: dict):
    known = set().union(*SCOPE_CLAIMS.values())
    for name in known & set(claims):
        value = claims[name]
        if name in BOOLEANS:
            report.must(isinstance(value, bool), f"{name} is a boolean")
        elif name in NUMBERS:
            report.must(isinstance(value, (int, float)) and 0 < value < time.time() + SKEW, f"{name} is a time in seconds")
        elif name in OBJECTS:
            report.must(isinstance(value, dict) and value and all(
                isinstance(part, str) and part.strip() for part in value.values()), f"{name} is an object of texts")
        else:
            report.must(isinstance(value, str) and value.strip() and value != "null", f"{name} is a text with content")
        if name == "birthdate":
            report.must(is_date_of_birth(value), "birthdate is a date")


def check_userinfo(report: Report, answer: Answer, subject: str) -> dict:
    report.must(answer.status == 200, f"userinfo answers 200, not {answer.status}")
    report.must((answer.header("Content-Type") or "").split(";")[0] == "application/json", "userinfo answers JSON")
    claims = answer.json()
    report.must(claims.get("sub") == subject, "userinfo and ID token name the same sub")
    check_standard_claims(report, claims)
    return claims


# Answers that say no

def check_error_texts(report: Report, fields: dict):
    """The characters of RFC 6749 §4.1.2.1 and §5.2."""
    description = fields.get("error_description", "")
    report.should(not re.search(r"[\r\n\t]", description), "error_description has control characters")
    report.must(bool(re.fullmatch(r"[\x20-\x21\x23-\x5B\x5D-\x7E]*", description)), "error_description has allowed characters")
    report.must(bool(re.fullmatch(r"[\x21\x23-\x5B\x5D-\x7E]*", fields.get("error_uri", ""))),
                "error_uri has allowed characters")


def check_authorization_error(report: Report, answer: dict, allowed: set[str], issuer: str, state: str | None):
    report.must(answer.get("state") == state, "state is the one sent")
    report.must(answer.get("iss", issuer) == issuer, "iss is the issuer")
    report.must(answer.get("error") in allowed & AUTHORIZATION_ERRORS, f"error is one of {sorted(allowed)}: {answer}")
    report.must("code" not in answer, "an error has no code beside it")
    unexpected = set(answer) - {"error", "error_description", "error_uri", "state", "session_state", "iss"}
    report.should(not unexpected, f"unexpected parameters {sorted(unexpected)}")
    check_error_texts(report, answer)


def check_token_error(report: Report, answer: Answer, error: str):
    report.must(answer.status == 400, f"the token endpoint answers 400, not {answer.status}")
    fields = answer.json()
    report.must(fields["error"] == error and error in TOKEN_ERRORS, f"error is {error}: {fields}")
    check_error_texts(report, fields)


# Discovery

def discovery(op, report) -> dict:
    answer: Answer = op.send("GET", "/.well-known/openid-configuration")
    report.must(answer.status == 200, "discovery answers 200")
    report.must(answer.header("Content-Type").split(";")[0] == "application/json", "discovery answers JSON")
    return answer.json()


def must_be_https(report, document: dict):
    for name, value in document.items():
        if name.endswith("_endpoint"):
            report.must(value.startswith("https://"), f"{name} is https")


def check_end_session_endpoint(op, report) -> dict:
    document = discovery(op, report)
    must_be_https(report, document)
    report.must(document["end_session_endpoint"].startswith("https://"), "end_session_endpoint is there")
    return document
