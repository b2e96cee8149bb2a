"""A website that wants a strong or fresh sign-in: the app hears of it by an RFC 9470 challenge (contract §14, §6)."""

import json
import time

import pytest

import instance
import native
import wire
from native import App


def ask(served, **claims) -> wire.Answer:
    return served.send("POST", instance.ISSUE, {"Authorization": f"Bearer {served.bearer(**claims)}"})


@pytest.mark.parametrize("website, weak, strong, wanted", [
    ("min_acr: aal2", {"acr": "aal1"}, {"acr": "aal2"}, ['acr_values="aal2"']),
    ("min_acr: 'urn:example:gold'", {"acr": "aal2"}, {"acr": "urn:example:gold"}, ['acr_values="urn:example:gold"']),
    ("max_auth_age: 60", {"auth_time": -90}, {"auth_time": -5}, ['max_age="60"']),
    ("min_acr: aal2, max_auth_age: 60", {"acr": "aal2", "auth_time": -90}, {"acr": "aal2", "auth_time": -5},
     ['acr_values="aal2"', 'max_age="60"']),
])
def test_too_little_is_answered_with_what_is_wanted(serve, website, weak, strong, wanted):
    served = serve(website=website)

    def absolute(claims: dict) -> dict:
        return {**claims, **({"auth_time": int(time.time()) + claims["auth_time"]} if "auth_time" in claims else {})}

    for claims in ({}, absolute(weak)):
        answer = ask(served, **claims)
        assert (answer.status, answer.json()["error"]) == (401, "insufficient_user_authentication"), answer.body
        challenge = answer.header("WWW-Authenticate")
        assert challenge.startswith('Bearer error="insufficient_user_authentication"')
        assert all(part in challenge for part in wanted), challenge
    assert ask(served, **absolute(strong)).status == 200
    refused = [row for row in instance.audit_rows(served.data) if row["type"] == "login_token.refused"]
    assert {row["reason"] for row in refused} == {"authentication_too_weak"}


def test_an_exchange_for_a_website_that_wants_more_says_so_too(start_demo):
    demo = start_demo("--no-limits")
    admin = {"Authorization": f"Bearer {demo.facts['admin_token']}", "Content-Type": "application/json"}
    for client in ("demo-webview", "demo-web"):
        address = f"/api/admin/clients/{client}"
        tag = demo.send("GET", address, admin).header("ETag")
        changed = demo.send("PATCH", address, {**admin, "If-Match": tag}, json.dumps({"min_acr": "aal2"}))
        assert changed.status == 200, changed.body
    app = App(demo)
    app.sign_in()
    login_token = {
        "grant_type": native.EXCHANGE, "subject_token": app.tokens["access_token"],
        "subject_token_type": native.ACCESS_TOKEN, "requested_token_type": native.LOGIN_TOKEN, "audience": "demo-web"}
    for answer in (app.cookies(), app.token(**login_token)):
        assert answer.status in (400, 401), answer.text
        assert answer.json()["error"] == "insufficient_user_authentication"
        assert 'acr_values="aal2"' in answer.header("WWW-Authenticate")
