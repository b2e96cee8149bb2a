"""Websites whose visitors have cookies of ours hear of ends by back-channel logout, as relying parties do (contract §7)."""

import secrets
import signal

import pytest

import boundaries
import instance
import signing
import wire
from admin import admin, change, changed, reach
from native import App
from receiver import Receiver


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def website(demo, **fields) -> str:
    name = f"site-{secrets.token_hex(4)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": name, "client_type": "web", "return_paths": ["/contacts"], "default_return_path": "/contacts", **fields})
    assert made.status == 201, made.text
    reach(demo, name)
    return name


def visit(demo, website: str, bearer: str) -> tuple[str, str]:
    """The cookie and the id of a session that a login link opened."""
    issued = demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}, {"client_id": website})
    assert issued.status == 200, issued.text
    landed = demo.redeem(issued.json()["token"])
    assert landed.status == 303 and landed.session_cookie, landed.text
    return landed.session_cookie, demo.audit("web_session.opened", token_id=issued.json()["id"])[0]["session_id"]


def told(receiver) -> list[tuple]:
    return [(signing.claims_of(token)["aud"], signing.claims_of(token)["sid"]) for token in receiver.tokens]


def expect_told(receiver, *ends: tuple):
    instance.wait_until(lambda: len(receiver.tokens) >= len(ends), what=f"{len(ends)} logout tokens")
    assert sorted(told(receiver)) == sorted(ends)


def end(demo, session: str):
    assert admin(demo, "DELETE", f"/api/admin/sessions/{session}").status == 204


@pytest.mark.parametrize("how", ["the visitor signs out", "an administrator ends it", "the app's device is revoked"])
def test_a_website_hears_how_ever_its_visitors_session_ends(demo, receiver, how):
    site = website(demo, backchannel_logout_uri=receiver.uri)
    app = App(demo)
    app.sign_in()
    cookie, session = visit(demo, site, app.tokens["access_token"])
    if how == "the visitor signs out":
        answer = demo.send("POST", "/session/logout", {"Cookie": cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
        assert answer.status == 204, answer.text
    elif how == "an administrator ends it":
        end(demo, session)
    else:
        assert boundaries.revoke_device_secret(app).status == 200
    expect_told(receiver, (site, session))
    assert signing.claims_of(receiver.tokens[0])["sub"] == signing.claims_of(app.tokens["id_token"])["sub"]


def test_a_web_views_website_hears_of_the_end_of_its_cookies(demo, receiver):
    site = website(
        demo, token_endpoint_auth_method="none", delivery="cookies", backchannel_logout_uri=receiver.uri)
    shared = admin(demo, "GET", "/api/admin/clients/demo-app").json()["share_with"]
    with changed(demo, "demo-app", share_with=[*shared, site]):
        app = App(demo)
        app.sign_in()
        view = app.cookies(client_id=site)
        assert view.status == 200 and view.session_cookie, view.text
        opened = [event for event in demo.audit("web_session.opened") if event["target_client_id"] == site]
        assert boundaries.revoke_device_secret(app).status == 200
        expect_told(receiver, (site, opened[0]["session_id"]))


def test_who_is_told_is_decided_when_a_session_ends(demo, receiver):
    site = website(demo)
    bearer = demo.bearer("alice")
    sessions = [visit(demo, site, bearer)[1] for _ in range(2)]
    end(demo, sessions[0])
    change(demo, site, backchannel_logout_uri=receiver.uri)
    end(demo, sessions[1])
    expect_told(receiver, (site, sessions[1]))
    change(demo, site, backchannel_logout_uri=None)

    def ends_unheard() -> bool:
        _, session = visit(demo, site, bearer)
        end(demo, session)
        return demo.query("SELECT count(*) FROM logout_notice WHERE session_id = ?", session) == [(0,)]

    # A node puts its own list in place once a second, and may be at it with the one before.
    instance.wait_until(ends_unheard, what="an end of which nothing is written")


def test_a_website_hears_that_a_visitors_next_link_took_the_session_before_away(demo, receiver):
    site = website(demo, backchannel_logout_uri=receiver.uri)
    bearer = demo.bearer("alice")
    cookie, session = visit(demo, site, bearer)
    issued = demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}, {"client_id": site}).json()
    again = demo.redeem(issued["token"], {**wire.NAVIGATION, "Cookie": cookie})
    assert again.status == 303 and again.session_cookie
    expect_told(receiver, (site, session))


def test_a_website_of_the_settings_file_hears_of_sessions_from_before_it_had_an_address(serve, receiver):
    served = serve()
    token = served.issue("alice")
    assert served.redeem(token["token"]).status == 303
    session = [row["session_id"] for row in instance.audit_rows(served.data) if row["type"] == "web_session.opened"]
    served.settings.write_text(served.settings.read_text().replace(
        "client_id: web,", f"client_id: web, backchannel_logout_uri: '{receiver.uri}',"))
    served.signal(signal.SIGHUP)
    instance.wait_until(lambda: "reloaded clients" in served.output, what="the reload")
    instance.run("users", "disable", "--config", str(served.settings), "alice")
    expect_told(receiver, ("web", *session))
