"""The Back-Channel OP plan."""

import time

import pytest

import jose
import signing
from conditions import check_end_session_endpoint
from instance import wait_until
from op import BASIC, SIGNED_OUT, leave

module = pytest.mark.module

EVENT = "http://schemas.openid.net/event/backchannel-logout"


@module("oidcc-backchannel-logout-discovery-endpoint-verification")
def test_oidcc_backchannel_logout_discovery_endpoint_verification(op, report):
    document = check_end_session_endpoint(op, report)
    report.must(document["backchannel_logout_supported"] is True, "back-channel logout is supported")
    report.must(document["backchannel_logout_session_supported"] is True, "and says which session")


@module("oidcc-backchannel-rp-initiated-logout")
def test_oidcc_backchannel_rp_initiated_logout(op, website, receiver, report):
    seen, now = len(receiver.bodies), time.time()
    logins = []
    log_in = website.log_in
    website.log_in = lambda **changes: logins.append(log_in(**changes)) or logins[-1]
    landing, state = leave(website)
    wait_until(lambda: len(receiver.bodies) > seen, 30, "the logout token")
    body = receiver.bodies[seen]
    report.must(len(body.get("logout_token", [])) == 1, "there is one logout token")
    report.should(list(body) == ["logout_token"], f"unexpected parameters {sorted(body)}")
    token = body["logout_token"][0]
    header, claims = signing.parts(token)
    key = next(key for key in op.keys() if key["kid"] == header["kid"])
    report.must(jose.is_signed_by(key, token), "its signature is right")
    identity = logins[0].claims
    report.must(claims["iss"] == op.issuer and claims["aud"] in (BASIC, [BASIC]), "iss and aud are right")
    report.must(now - 86_400 < claims["iat"] < time.time() + 300, "iat is now")
    report.must(bool(claims["jti"]), "it has a jti")
    report.must(claims["events"] == {EVENT: {}}, "events has one empty object")
    report.must("sub" in claims or "sid" in claims, "it has sub or sid")
    for name in ["sub", "sid"]:
        report.must(claims.get(name, identity[name]) == identity[name], f"{name} is the ID token's")
    report.must("nonce" not in claims, "it has no nonce")
    report.must(landing.location.partition("?")[0] == SIGNED_OUT and landing.answer == {"state": state},
                "then back, with state")
    website.expect_signed_out()
    report.must(len(receiver.bodies) == seen + 1, "it came once")
    report.should(receiver.uri.startswith("https://"),
                  "here it came over plain HTTP on loopback, so the two TLS conditions are not shown")
