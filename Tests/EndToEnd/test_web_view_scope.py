"""What a web view gets of its app's scope (contract §5.4, §6, §16.7)."""

import pytest

from apps import app_of
from native import App
from va import BASE, end_all_by_cookies
from wire import jar

HELD = "openid profile email offline_access device_sso revoke_all_sessions"


@pytest.fixture
def app(demo) -> App:
    app = app_of(demo, HELD, native_sso_enabled=True, share_with=["demo-webview"], may_reach=["demo-web"])
    app.sign_in(HELD)
    return app


def told(demo, view) -> tuple[dict, set[str]]:
    """What a web view's pages and its proxy hear of the user."""
    checked = demo.send("GET", "/auth/check?identity=name,email", jar(view))
    assert checked.status == 200
    fields = {name for name in ["X-Auth-Name", "X-Auth-Email"] if checked.header(name)}
    return demo.send("GET", f"{BASE}/user_info", jar(view)).json(), fields


@pytest.mark.parametrize("path", ["/oauth/token", f"{BASE}/token"])
def test_5_4_cookies_for_a_narrower_scope_open_no_more_than_that(demo, app, path):
    view = app.cookies(path=path, scope="openid")
    assert view.status == 200, view.text
    assert told(demo, view) == ({"sub": app.user["sub"]}, set())
    assert end_all_by_cookies(demo, jar(view)).status == 403
    assert app.refresh().status == 200


def test_5_4_cookies_without_a_scope_open_what_the_bearer_has(demo, app):
    view = app.cookies()
    known, fields = told(demo, view)
    assert (known["name"], known["email"]) == ("Somebody", f"{app.user['username']}@example.com")
    assert fields == {"X-Auth-Name", "X-Auth-Email"}
    assert end_all_by_cookies(demo, jar(view)).status == 303


def test_5_4_cookies_for_more_than_the_bearer_has_are_refused(demo, app):
    app.tokens |= app.refresh(scope="openid device_sso").json()
    refused = app.cookies(scope="openid email")
    assert (refused.status, refused.json()["error"]) == (400, "invalid_scope")
