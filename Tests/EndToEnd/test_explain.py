"""`drawbridge explain exchange` against a running instance: the same rules as the API, and nothing used up."""

import json

import pytest

import instance
from admin import Admin
from native import DEVICE_SECRET, ID_TOKEN, App


@pytest.fixture(scope="module")
def settings(demo, tmp_path_factory):
    """A settings file for the demo's data."""
    apps = [{name: value for name, value in client.items() if name != "client_secret"}
            for client in demo.facts["clients"] if client["client_id"] in ("demo-app", "demo-app-b")]
    path = tmp_path_factory.mktemp("explain") / "drawbridge.yaml"
    path.write_text(f"""
public_origin: {demo.base}
data_directory: {demo.data}
native_sso: {{enabled: true, allow_cross_client: true}}
clients: {json.dumps(apps)}
""")
    return path


def written(demo) -> int:
    """How many events there are, without those that come by themselves: how many refusals of others were left out."""
    return sum(event["type"] != "audit.suppressed" for event in demo.audit())


def explain(settings, first: str, second: str, *options: str) -> tuple[int, dict]:
    done = instance.run("explain", "exchange", "--config", str(settings), *options,
                        stdin=f"{first}\n{second}\n".encode(), check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_it_says_what_the_api_says_and_uses_nothing_up(demo, settings):
    app = App(demo)
    app.sign_in()
    status, answer = explain(settings, app.tokens["id_token"], app.tokens["device_secret"], "--client", "demo-app-b")
    by_api = Admin(demo).send("POST", "explain", {
        "kind": "exchange", "client_id": "demo-app-b", "subject_token": app.tokens["id_token"],
        "subject_token_type": ID_TOKEN, "actor_token": app.tokens["device_secret"], "actor_token_type": DEVICE_SECRET,
        "audience": demo.base}).json()
    assert answer == by_api
    assert (status, answer["passes"]) == (0, True)
    events = written(demo)
    explain(settings, app.tokens["id_token"], app.tokens["device_secret"], "--client", "demo-app-b")
    assert written(demo) == events
    assert app.native_sso().status == 200


@pytest.mark.parametrize("change, reason", [
    ({"secret": "ds_nonsense"}, "secret_unknown"), ({"client": "nobody"}, "unknown_client"),
    ({"token": "a.b.c"}, "subject_token_invalid"), ({"more": ["--audience", "https://other.example"]}, "wrong_audience"),
    ({"more": ["--subject-token-type", "access_token"]}, "subject_token_invalid"),
])
def test_it_names_what_is_wrong(demo, settings, change, reason):
    app = App(demo)
    app.sign_in()
    status, answer = explain(
        settings, change.get("token", app.tokens["id_token"]), change.get("secret", app.tokens["device_secret"]),
        "--client", change.get("client", "demo-app-b"), *change.get("more", []))
    assert status == 1 and not answer["passes"]
    assert reason in json.dumps(answer)


def test_there_must_be_a_token(settings):
    done = instance.run("explain", "exchange", "--config", str(settings), "--client", "demo-app-b", check=False)
    assert done.returncode != 0 and b"subject token" in done.stderr


def test_a_bearer_is_explained_as_the_api_explains_it_and_nothing_is_written(demo, settings):
    app = App(demo)
    app.sign_in()
    events = written(demo)
    token = app.tokens["access_token"]
    for bearer, website, status in [(token, "demo-web", 0), (token, "no-such", 1), ("a.b.c", None, 1)]:
        named = ["--website", website] if website else []
        done = instance.run("explain", "bearer", "--config", str(settings), *named, stdin=f"{bearer}\n".encode(), check=False)
        by_api = Admin(demo).send("POST", "explain", {"kind": "bearer", "token": bearer, "client_id": website}).json()
        assert json.loads(done.stdout) == by_api and done.returncode == status, (done, by_api)
    assert written(demo) == events


def test_a_redirect_to_a_website_of_the_database_is_explained_as_the_api_explains_it(demo, settings):
    admin = Admin(demo)
    site = {"client_id": "explained-shop", "client_type": "web", "return_paths": ["/cart/*", "/home"],
            "default_return_path": "/home"}
    assert admin.send("POST", "clients", site).status == 201
    for value, client in [("/cart/7", "explained-shop"), ("//evil.example", "explained-shop"), ("/cart/7", "no-such")]:
        done = instance.run("explain", "redirect", "--config", str(settings), "--client", client, value, check=False)
        by_api = admin.send("POST", "explain", {"kind": "redirect", "client_id": client, "redirect": value}).json()
        assert json.loads(done.stdout) == by_api and set(by_api) == {"passes", "reason", "rule", "steps"}
        assert done.returncode == (0 if by_api["passes"] else 1)
