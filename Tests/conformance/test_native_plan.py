"""Native apps (RFC 8252): the suite has no plan for them, so these modules are our own."""

import secrets

import pytest

import instance
import signing
from op import APP, Website

module = pytest.mark.module
PRIVATE = "com.example.conformance:/callback"
CLAIMED = "https://app.example.com/conformance/callback"


def log_in_app(op, report, redirect_uri: str) -> Website:
    """The app's whole flow, as a public client with PKCE."""
    app, verifier = Website(op, report, APP), secrets.token_urlsafe(48)
    app.log_in(authentication="none", verifier=verifier, redirect_uri=redirect_uri,
               code_challenge=signing.challenge(verifier), code_challenge_method="S256")
    return app


@pytest.mark.parametrize("redirect_uri", [
    pytest.param(PRIVATE, marks=module("native-private-use-scheme")),
    pytest.param(CLAIMED, marks=module("native-claimed-https")),
    pytest.param("http://127.0.0.1:{port}/callback", marks=module("native-loopback-any-port-v4")),
    pytest.param("http://[::1]:{port}/callback", marks=module("native-loopback-any-port-v6")),
])
def test_native_redirect(op, report, redirect_uri):
    log_in_app(op, report, redirect_uri.format(port=instance.free_port()))


@module("native-pkce-required")
def test_native_pkce_required(op, report):
    app = Website(op, report, APP)
    for challenge in [{}, {"code_challenge": "a" * 43}, {"code_challenge": "a" * 43, "code_challenge_method": "plain"}]:
        request = app.request(redirect_uri=PRIVATE, **challenge)
        landing = app.authorize(request)
        report.must(landing.location.startswith(PRIVATE), "the error comes back to the app")
        report.must(landing.answer["error"] == "invalid_request", f"{challenge}: {landing.answer}")
    report.must(op.metadata["code_challenge_methods_supported"] == ["S256"], "the metadata says S256")


@module("native-prompt-none-consent-required")
def test_native_prompt_none_consent_required(op, report):
    """RFC 8252 §8.6: whoever owns a scheme or a port may be another app, so consent is never taken for granted."""
    app = log_in_app(op, report, PRIVATE)
    pkce = {"code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"}
    for redirect_uri in [PRIVATE, "http://127.0.0.1:49152/callback", "http://[::1]:49152/callback"]:
        landing = app.authorize(app.request(redirect_uri=redirect_uri, prompt="none", **pkce))
        report.must(landing.answer.get("error") == "consent_required", f"{redirect_uri}: {landing.answer}")
    again = app.authorize(app.request(redirect_uri=PRIVATE, **pkce))
    report.must(again.shown == ["consent"], f"without `none` the person is asked again: {again.shown}")
