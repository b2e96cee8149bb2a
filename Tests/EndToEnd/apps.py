"""Native apps that a test registers for itself."""

import secrets

import native
from accounts import somebody, somebody_with_an_address
from admin import admin, register
from native import App

WHOLE = "openid profile email offline_access"


def outsider(demo) -> tuple[App, App]:
    """An app with its device, and one of the same user that it is not shared with, though that has Native SSO."""
    app, other = App(demo), App(demo, registered(demo, native_sso_enabled=True))
    app.user = other.user = somebody(demo)
    app.sign_in()
    return app, other


def registered(demo, **fields) -> str:
    """The id of a new app."""
    client = f"app-{secrets.token_hex(4)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": client, "client_type": "native", "redirect_uris": [native.CALLBACK], "first_party": True, **fields})
    assert made.status == 201, made.text
    return client


def app_of(demo, scope: str = WHOLE, **document) -> App:
    """An app of somebody else's, with a document and a user of its own."""
    client = f"scoped-{secrets.token_hex(4)}"
    register(demo, client, client_type="native", redirect_uris=[native.CALLBACK], scope=scope, **document)
    return App(demo, client, somebody_with_an_address(demo))
