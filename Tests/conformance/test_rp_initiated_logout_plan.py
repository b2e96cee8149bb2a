"""The RP-Initiated Logout OP plan."""

import time

import pytest

import jose
import signing
from conditions import check_end_session_endpoint
from op import BASIC, SIGNED_OUT, leave

module = pytest.mark.module


@module("oidcc-rp-initiated-logout-discovery-endpoint-verification")
def test_oidcc_rp_initiated_logout_discovery_endpoint_verification(op, report):
    check_end_session_endpoint(op, report)


@module("oidcc-rp-initiated-logout")
def test_oidcc_rp_initiated_logout(website, report):
    landing, state = leave(website)
    report.must(landing.location.partition("?")[0] == SIGNED_OUT, "back to the post_logout_redirect_uri")
    report.must(landing.answer == {"state": state}, "with the state of 128 characters, and nothing else")
    website.expect_signed_out()


@module("oidcc-rp-initiated-logout-no-state")
def test_oidcc_rp_initiated_logout_no_state(website, report):
    landing, _ = leave(website, state=None)
    report.must(landing.location == SIGNED_OUT, "back to the post_logout_redirect_uri, without a state")
    website.expect_signed_out()


def from_the_suite(website):
    """An ID token that the relying party made for itself, with the client's secret as the key."""
    def make(_):
        now = int(time.time())
        claims = {"iss": BASIC, "sub": "SubjectID", "aud": website.op.issuer, "nonce": "flibble", "iat": now, "exp": now + 300}
        return signing.jwt(claims, website.op.secrets[BASIC].encode(), {"alg": "HS256"})
    return make


@pytest.mark.parametrize("changes", [
    pytest.param({"post_logout_redirect_uri": f"{SIGNED_OUT}/elsewhere"},
                 marks=module("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri")),
    pytest.param({"post_logout_redirect_uri": f"{SIGNED_OUT}?foo=bar"},
                 marks=module("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri")),
    pytest.param({"id_token_hint": jose.without_signature}, marks=module("oidcc-rp-initiated-logout-modified-id-token-hint")),
    pytest.param({"id_token_hint": None}, marks=module("oidcc-rp-initiated-logout-no-id-token-hint")),
])
def test_oidcc_rp_initiated_logout_leads_nowhere(website, report, changes):
    landing, _ = leave(website, **changes)
    report.must(landing.location is None, f"no redirect, also when the person says yes: {landing.location}")
    report.review("a picture of the question or the error page")


@module("oidcc-rp-initiated-logout-bad-id-token-hint")
def test_oidcc_rp_initiated_logout_bad_id_token_hint(website, report):
    landing, _ = leave(website, id_token_hint=from_the_suite(website))
    report.must(landing.location is None, f"no redirect, also when the person says yes: {landing.location}")
    report.review("a picture of the question or the error page")


@pytest.mark.parametrize("left_out", [
    pytest.param(["id_token_hint", "post_logout_redirect_uri", "state"], marks=module("oidcc-rp-initiated-logout-no-params")),
    pytest.param(["id_token_hint", "post_logout_redirect_uri"], marks=module("oidcc-rp-initiated-logout-only-state")),
    pytest.param(["post_logout_redirect_uri"], marks=module("oidcc-rp-initiated-logout-no-post-logout-redirect-uri")),
])
def test_oidcc_rp_initiated_logout_stays_here(website, report, left_out):
    landing, _ = leave(website, **dict.fromkeys(left_out))
    report.must(landing.location is None and landing.page.status == 200, "a page says that it is done")
    website.expect_signed_out()
    report.review("a picture of the signed-out page")
