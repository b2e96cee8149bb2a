"""Accounts of a test's own."""

import secrets

from admin import admin

PASSWORD = "correct horse battery"
OLD_PASSWORD, NEW_PASSWORD = "plum duff at noon", "a better pudding"


def somebody(demo) -> dict:
    """A user of the test's own."""
    user = {"username": f"user-{secrets.token_hex(4)}", "password": "a password of this test"}
    made = admin(demo, "POST", "/api/admin/users", user)
    assert made.status == 201, made.text
    return {**user, "sub": made.json()["sub"]}


def somebody_with_an_address(demo) -> str:
    """The name of an account of the test's own, with a verified address."""
    name = f"scoped-{secrets.token_hex(4)}"
    made = admin(demo, "POST", "/api/admin/users", {
        "username": name, "password": PASSWORD, "display_name": "Somebody", "email": f"{name}@example.com"})
    assert made.status == 201, made.text
    sub = made.json()["sub"]
    verified = admin(demo, "PATCH", f"/api/admin/users/{sub}", {"claims": {"email_verified": True}})
    assert verified.status == 200, verified.text
    demo.facts["users"].append({"sub": sub, "username": name, "password": PASSWORD})
    return name
