"""What clients that nobody here wrote have stumbled over: each a test of what they do."""

import base64
import json
import time

import pytest

import oauth
from admin import Admin
from native import App
from va import VAApp, post


def blank(client: str) -> dict:
    return {"Authorization": "Basic " + base64.b64encode(f"{client}:".encode()).decode()}


def test_a_public_client_sends_basic_with_an_empty_password(demo):
    verifier = "v" * 43
    code = oauth.Browser(demo).authorize(verifier=verifier)["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": oauth.APP_REDIRECT,
            "code_verifier": verifier}
    answer = oauth.token(demo, form, blank("demo-app"))
    assert answer.status == 200, answer.body
    fresh = {"grant_type": "refresh_token", "refresh_token": answer.json()["refresh_token"]}
    assert oauth.token(demo, fresh, blank("demo-app")).status == 200
    # A client that has a secret is believed no more for leaving it out.
    answer = oauth.token(demo, {"grant_type": "client_credentials"}, blank("demo-admin"))
    assert (answer.status, answer.json()["error"]) == (401, "invalid_client")


def test_an_assertion_of_an_hour_is_taken_and_one_of_two_is_refused_with_a_word(demo):
    from services import Machine
    machine = Machine(demo)
    now = int(time.time())
    assert machine.token(machine.assertion(iat=now, exp=now + 3600)).status == 200
    answer = machine.token(machine.assertion(iat=now, exp=now + 7200))
    assert answer.status == 401 and "iat" in answer.json()["error_description"]


def test_metadata_tells_whether_native_sso_is_on(start_demo):
    demo = start_demo()

    def told() -> tuple:
        document = demo.send("GET", "/.well-known/openid-configuration").json()
        return (document["native_sso_supported"], document["native_sso_token_exchange_supported"],
                document["native_sso_device_secret_supported"], "device_sso" in document["scopes_supported"],
                "ds_hash" in document["claims_supported"])

    assert told() == (True,) * 5
    admin = Admin(demo)
    answer = admin.send("PUT", "settings/native-sso", json.dumps({"enabled": False}), {"Content-Type": "application/json"})
    assert answer.status == 200, answer.body
    assert told() == (False,) * 5


def test_an_app_with_a_scheme_of_its_own_exchanges_its_own_secret_right_after_the_user_agreed(demo):
    app = App(demo)
    app.sign_in()
    answer = oauth.token(demo, {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": app.client_id,
        "subject_token": app.tokens["id_token"], "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "actor_token": app.tokens["device_secret"],
        "actor_token_type": "urn:openid:params:token-type:device-secret"})
    assert answer.status == 200, answer.body


# The VA's app

def test_a_refresh_token_comes_in_three_pieces_of_which_an_app_keeps_two(demo):
    app = VAApp(demo)
    app.sign_in()
    for _ in range(3):
        pieces = app.tokens["refresh_token"].split(".")
        assert len(pieces) == 3 and pieces[2] == "V0" and all(pieces), pieces
        kept = pieces[:2]
        answer = post(demo, "refresh", refresh_token=".".join([*kept, "V0"]))
        assert answer.status == 200, answer.text
        app.tokens = {**app.tokens, **answer.json()["data"]}
    assert post(demo, "revoke", refresh_token=app.tokens["refresh_token"]).status == 200


def test_statuses_and_words_of_a_refresh(demo):
    app = VAApp(demo)
    app.sign_in()
    token = app.tokens["refresh_token"]

    def refresh(**fields) -> tuple:
        answer = post(demo, "refresh", **fields)
        return answer.status, answer.json()["errors"]

    assert refresh() == (400, "Refresh token can't be blank")
    assert refresh(refresh_token="") == (400, "Refresh token can't be blank")
    for garbage in ("garbage", "a.b.V0", "a.b.V1", "..", token[:-4] + "AAAA"):
        for more in ({}, {"client_id": app.client_id}):
            assert refresh(refresh_token=garbage, **more)[0] == 401, garbage
    assert post(demo, "revoke", refresh_token=token).status == 200
    for more in ({}, {"client_id": app.client_id}):
        assert refresh(refresh_token=token, **more)[0] == 401


@pytest.mark.parametrize("fields, status, words", [
    ({"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"}, 400, "Client ID can't be blank"),
    ({}, 400, "Grant type can't be blank"),
    ({"grant_type": "authorization_code"}, 400, "Code can't be blank"),
    ({"grant_type": "authorization_code", "code": "garbage"}, 400, "Code verifier can't be blank"),
    ({"grant_type": "authorization_code", "code": "garbage", "code_verifier": "v" * 43}, 400, "Code is not valid"),
    ({"grant_type": "authorization_code", "code": "garbage", "code_verifier": "v" * 43, "client_id": "nobody"}, 401,
     "client configuration not found"),
])
def test_statuses_and_words_of_a_token_request(demo, fields, status, words):
    answer = post(demo, "token", **fields)
    assert (answer.status, answer.json()["errors"]) == (status, words)
