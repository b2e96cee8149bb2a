"""The plans that are replayed and their modules, named and ordered as the OpenID Foundation's suite has them.

Read from openid-certification/conformance-suite at commit 12f2a4da (2026-08-20). Certification plans come whole; the Form
Post plan is the Basic plan with `response_mode=form_post`; of the dynamic plan there are the modules that say something about
a provider without dynamic registration.
"""

PLANS: dict[str, list[str]] = {
    "oidcc-config-certification-test-plan": [
        "oidcc-discovery-endpoint-verification",
    ],
    "oidcc-basic-certification-test-plan": [
        "oidcc-server",
        "oidcc-response-type-missing",
        "oidcc-idtoken-signature",
        "oidcc-idtoken-unsigned",
        "oidcc-userinfo-get",
        "oidcc-userinfo-post-header",
        "oidcc-userinfo-post-body",
        "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
        "oidcc-scope-profile",
        "oidcc-scope-email",
        "oidcc-scope-address",
        "oidcc-scope-phone",
        "oidcc-scope-all",
        "oidcc-alternate-happy-flow",
        "oidcc-display-page",
        "oidcc-display-popup",
        "oidcc-prompt-login",
        "oidcc-prompt-none-not-logged-in",
        "oidcc-prompt-none-logged-in",
        "oidcc-max-age-1",
        "oidcc-max-age-10000",
        "oidcc-ensure-request-with-unknown-parameter-succeeds",
        "oidcc-id-token-hint",
        "oidcc-login-hint",
        "oidcc-ui-locales",
        "oidcc-claims-locales",
        "oidcc-ensure-request-with-acr-values-succeeds",
        "oidcc-codereuse",
        "oidcc-codereuse-30seconds",
        "oidcc-ensure-registered-redirect-uri",
        "oidcc-ensure-post-request-succeeds",
        "oidcc-server-client-secret-post",
        "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
        "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
        "oidcc-claims-essential",
        "oidcc-ensure-request-object-with-redirect-uri",
        "oidcc-refresh-token",
        "oidcc-ensure-request-with-valid-pkce-succeeds",
    ],
    "oidcc-formpost-basic-certification-test-plan": [],
    "oidcc-3rdparty-init-login-certification-test-plan": [
        "oidcc-3rd_party-init-login",
        "oidcc-3rd_party-init-login-nohttps",
    ],
    "oidcc-rp-initiated-logout-certification-test-plan": [
        "oidcc-rp-initiated-logout-discovery-endpoint-verification",
        "oidcc-rp-initiated-logout",
        "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
        "oidcc-rp-initiated-logout-modified-id-token-hint",
        "oidcc-rp-initiated-logout-no-id-token-hint",
        "oidcc-rp-initiated-logout-no-params",
        "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
        "oidcc-rp-initiated-logout-no-state",
        "oidcc-rp-initiated-logout-only-state",
        "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
        "oidcc-rp-initiated-logout-bad-id-token-hint",
    ],
    "oidcc-backchannel-rp-initiated-logout-certification-test-plan": [
        "oidcc-backchannel-logout-discovery-endpoint-verification",
        "oidcc-backchannel-rp-initiated-logout",
    ],
    "of oidcc-dynamic-certification-test-plan": [
        "oidcc-redirect-uri-query-OK",
        "oidcc-redirect-uri-query-mismatch",
        "oidcc-redirect-uri-query-added",
        "oidcc-redirect-uri-regfrag",
        "oidcc-ensure-redirect-uri-in-authorization-request",
        "oidcc-server-rotate-keys",
    ],
    "of our own": [
        "native-private-use-scheme",
        "native-claimed-https",
        "native-loopback-any-port-v4",
        "native-loopback-any-port-v6",
        "native-pkce-required",
        "native-prompt-none-consent-required",
        "redirect-uri-table",
        "return-path-table",
        "siop-same-device",
        "siop-browser-mismatch",
        "siop-relay-aud",
        "xd-happy",
        "xd-two-scanners",
        "xd-three-wrong-codes",
        "device-grant-slow-down",
    ],
}
#: Modules of our own that need a clock which stands or runs as they say: their test, below `Tests`, has one.
ELSEWHERE: dict[str, tuple[str, str]] = {
    "siop-token-table": (
        "BridgeTests/SignIn/SelfIssued/SelfIssuedTokenCasesTests.swift", "a token is decided as the table says"),
    "xd-expiry": ("BridgeTests/SignIn/CrossDevice/PhoneSignInTests.swift", "every open state runs out"),
    "device-grant-expired": (
        "BridgeTests/Provider/DeviceGrant/DeviceGrantRFC8628Tests.swift",
        "§3.5: a code that has run out is expired_token, let in or not"),
}
PLANS["oidcc-formpost-basic-certification-test-plan"] = list(PLANS["oidcc-basic-certification-test-plan"])
