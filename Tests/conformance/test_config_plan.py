"""The Config OP plan: what the discovery document must say."""

import re

import pytest

import conditions
from conditions import discovery, must_be_https

module = pytest.mark.module

#: Members that the suite's schema knows (RFC 8414's registry), as far as this provider may have them.
KNOWN = {
    "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "registration_endpoint", "userinfo_endpoint",
    "revocation_endpoint", "introspection_endpoint", "device_authorization_endpoint", "end_session_endpoint",
    "pushed_authorization_request_endpoint", "require_pushed_authorization_requests", "backchannel_logout_supported",
    "backchannel_logout_session_supported", "frontchannel_logout_supported", "response_types_supported",
    "response_modes_supported", "grant_types_supported", "acr_values_supported", "subject_types_supported",
    "scopes_supported", "claims_supported", "claim_types_supported", "claims_parameter_supported",
    "request_parameter_supported", "request_uri_parameter_supported", "id_token_signing_alg_values_supported",
    "userinfo_signing_alg_values_supported", "request_object_signing_alg_values_supported",
    "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
    "revocation_endpoint_auth_methods_supported", "revocation_endpoint_auth_signing_alg_values_supported",
    "introspection_endpoint_auth_methods_supported", "introspection_endpoint_auth_signing_alg_values_supported",
    "code_challenge_methods_supported", "authorization_response_iss_parameter_supported",
    "dpop_signing_alg_values_supported", "prompt_values_supported", "ui_locales_supported", "service_documentation",
    "op_policy_uri", "op_tos_uri", "display_values_supported", "claims_locales_supported",
}
#: Members that this provider tells SDKs of Native SSO.
NATIVE_SSO = {"native_sso_supported", "native_sso_token_exchange_supported", "native_sso_device_secret_supported"}


def check_shape(report, document: dict):
    """Lists are lists of texts, flags are flags, addresses are texts."""
    for name, value in document.items():
        if name.endswith(("_parameter_supported", "_requests")) or isinstance(value, bool):
            report.must(isinstance(value, bool), f"{name} is a flag")
        elif name.endswith("_supported"):
            report.must(isinstance(value, list) and all(isinstance(item, str) for item in value), f"{name} is a list")
        else:
            report.must(isinstance(value, str) and value.startswith("https://"), f"{name} is an address")


@module("oidcc-discovery-endpoint-verification")
def test_oidcc_discovery_endpoint_verification(op, report):
    document = discovery(op, report)
    report.must(document["issuer"] == op.base and "?" not in op.base and "#" not in op.base, "issuer is where it came from")
    check_shape(report, document)
    report.must("code" in document["response_types_supported"], "a response type of OpenID Connect")
    report.must(set(document["subject_types_supported"]) <= {"public", "pairwise"}, "known subject types")
    report.must("RS256" in document["id_token_signing_alg_values_supported"], "RS256 for ID tokens")
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"]:
        report.must(name in document, f"{name} is there")
    report.should("userinfo_endpoint" in document, "userinfo_endpoint is recommended")
    report.should(bool(document.get("claims_supported")), "claims_supported is recommended")
    report.must(bool(document.get("grant_types_supported", ["authorization_code"])), "grant_types_supported is not empty")
    scopes = document["scopes_supported"]
    report.must("openid" in scopes, "scopes_supported has openid")
    report.must(all(re.fullmatch(r"[\x21\x23-\x5B\x5D-\x7E]+", scope) for scope in scopes), "scopes are well-formed")
    locales = document.get("ui_locales_supported", [])
    report.must(all(re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", locale) for locale in locales),
                "locales are well-formed")
    report.should(all(re.fullmatch(r"[a-z]{2,3}(-[A-Z]{2})?", locale) for locale in locales),
                  "locales are written canonically")
    report.must(isinstance(document["code_challenge_methods_supported"], list), "code_challenge_methods_supported is a list")
    must_be_https(report, document)
    conditions.check_keys(report, op.keys())
    unexpected = set(document) - KNOWN
    report.must(unexpected <= NATIVE_SSO, f"no members that nobody knows: {unexpected}")
    report.should(not unexpected, f"the suite does not know {', '.join(f'`{name}`' for name in sorted(unexpected))}")
