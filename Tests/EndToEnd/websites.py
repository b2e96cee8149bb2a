"""Websites with a client secret that a test registers for itself."""

import base64

import oauth


def register(demo, **fields) -> dict:
    """The document of a new one, with its secret."""
    answer = demo.send(
        "POST", "/api/admin/clients", {"Authorization": f"Bearer {demo.facts['admin_token']}"},
        {"client_type": "web", "redirect_uris": [oauth.RP_REDIRECT], "first_party": True, "require_pkce": False, **fields})
    assert answer.status == 201, answer.body
    return answer.json()


def basic(client: dict) -> dict:
    pair = f"{client['client_id']}:{client['client_secret']}".encode()
    return {"Authorization": "Basic " + base64.b64encode(pair).decode()}


def sign_in(demo, client: dict, browser=None, scope: str = "openid profile", **more) -> dict:
    """The website's tokens after a sign-in in a browser."""
    browser = browser or oauth.Browser(demo)
    code = browser.authorize(client=client["client_id"], redirect=oauth.RP_REDIRECT, scope=scope, **more)["code"]
    answer = oauth.redeem(demo, code, None, redirect=oauth.RP_REDIRECT, headers=basic(client))
    assert answer.status == 200, answer.body
    return answer.json()


def registered_rp(demo, receiver) -> dict:
    """With a back-channel logout address."""
    return register(
        demo, client_name="Receiver", backchannel_logout_uri=receiver.uri, id_token_signed_response_alg="RS256")
