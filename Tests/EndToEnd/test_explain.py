"""`drawbridge explain exchange` against a running instance: the same rules as the API, and nothing used up."""

import json
import re

import pytest

import instance
import wire
from admin import Admin, Console, reach, register
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


@pytest.mark.parametrize("document, reason", [
    ({"return_paths": ["/"], "default_return_path": "/", "min_acr": "aal2"}, "authentication_too_weak"),
    ({}, "target_without_paths")])
def test_13_a_bearer_is_explained_as_an_issue_decides_by_the_reason_of_the_audit_log(demo, document, reason):
    website = f"explained-{reason.replace('_', '-')}"
    register(demo, website, client_type="web", **document)
    reach(demo, website)
    bearer = demo.bearer("explained")
    answer = Admin(demo).send("POST", "explain", {"kind": "bearer", "token": bearer, "client_id": website}).json()
    refused = demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}, {"client_id": website})
    assert refused.status in (400, 401), refused.text
    assert demo.audit("login_token.refused")[-1]["reason"] == reason
    assert (answer["passes"], answer["reason"]) == (False, reason), answer


@pytest.mark.parametrize("changes, flaw", [
    ({"iss": None}, "missing_claim iss"), ({"aud": None}, "missing_claim aud"), ({"exp": None}, "missing_claim exp"),
    ({"sub": None}, "missing_claim sub"), ({"client": None}, "missing_claim client_id"),
    ({"aud": 7}, "malformed aud"), ({"exp": "tomorrow"}, "malformed exp"), ({"iat": "now"}, "malformed iat"),
    ({"nbf": "now"}, "malformed nbf"), ({"sub": 7}, "malformed sub"), ({"client": ""}, "malformed client_id"),
    ({"exp": 1}, "expired")])
def test_13_a_bearer_is_explained_with_the_claim_that_is_missing_or_malformed(demo, changes, flaw):
    """By its name alone: what is in it may be somebody's."""
    answer = Admin(demo).send("POST", "explain", {"kind": "bearer", "token": demo.bearer(**changes)}).json()
    assert (answer["passes"], answer["reason"], answer["rule"]) == (False, flaw.split()[0], "token is good")
    assert answer["steps"] == [{"check": "token is good", "outcome": f"failed: {flaw}"}]


def test_13_the_claim_is_named_as_the_settings_name_it_and_the_reason_in_the_audit_log_is_the_flaw_alone(serve):
    server = serve(issuer="shares_subjects_with_accounts: true\n    subject_claim: user_id")
    bearer = server.bearer()
    done = instance.run("explain", "bearer", "--config", str(server.settings), stdin=f"{bearer}\n".encode(), check=False)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["reason"]) == (1, "missing_claim")
    assert answer["steps"] == [{"check": "token is good", "outcome": "failed: missing_claim user_id"}]
    assert server.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}).status == 401
    assert [row["reason"] for row in instance.audit_rows(server.data) if row["type"] == "bearer.refused"] == ["missing_claim"]


def test_13_a_wrong_issuer_or_audience_is_shown_beside_those_of_the_settings(serve):
    """Short, and each so that what nobody sees in it is seen; nothing of it is in the audit log."""
    server = serve()
    for claim, said, shown, configured in [
            ("aud", ["drawbridge ", "x,y"], "drawbridge%20, x%2Cy", "drawbridge"),
            ("aud", "\u202e" + "a" * 1000, "%E2%80%AE" + "a" * 191 + "…", "drawbridge"),
            ("iss", f"{server.ISSUER}/", f"{server.ISSUER}/", f"{server.base}, {server.ISSUER}")]:
        bearer = server.bearer(**{claim: said})
        done = instance.run(
            "explain", "bearer", "--config", str(server.settings), stdin=f"{bearer}\n".encode(), check=False)
        reason = {"aud": "wrong_audience", "iss": "unknown_issuer"}[claim]
        assert json.loads(done.stdout)["steps"] == [
            {"check": "token is good", "outcome": f"failed: {reason}"}, {"check": f"{claim} of the token", "outcome": shown},
            {"check": f"{claim} in the settings", "outcome": configured}], done.stdout


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


def test_a_binding_to_a_network_is_judged_by_the_address_and_without_one_said_not_to_be(demo):
    token = demo.issue("alice", bind="network")["token"]

    def binding(**more) -> str:
        answer = Admin(demo).send("POST", "explain", {"kind": "redemption", "token": token, **more}).json()
        return next(step["outcome"] for step in answer["steps"] if step["check"] == "network binding")

    assert binding(ip="127.0.0.1") == "passed"
    assert binding(ip="203.0.113.7") == "failed: wrong_network"
    assert binding() == binding(ip="") == "no address given; not judged here"
    console = Console(demo)
    page = console.demo.send("POST", "/admin/explain", console.cookie, wire.encode(
        {**redemption_form(console), "token": token}))
    assert page.status == 200 and "<dd>no address given; not judged here</dd>" in page.text


@pytest.mark.parametrize("address", ["10.0.0", "localhost", "127.0.0.1/8", "\ufeff127.0.0.1", b"\xff"])
def test_an_address_that_is_none_is_a_fault_of_its_field_in_the_console_as_in_the_api(demo, address):
    token, console = demo.issue("alice", bind="network")["token"], Console(demo)
    if isinstance(address, str):
        answer = Admin(demo).send("POST", "explain", {"kind": "redemption", "token": token, "ip": address})
        assert answer.status == 400 and answer.json()["error_description"] == "ip must be an IP address"
    fields = {**redemption_form(console), "token": token, "redirect": "/contacts", "ip": address}
    page = demo.send("POST", "/admin/explain", console.cookie, wire.encode(fields))
    assert page.status == 400 and "<title>Error: Explain" in page.text and "ip must be an IP address" in page.text
    assert 'id="answer"' not in page.text and token not in page.text
    field = re.search(r'<input [^>]*id="token-ip"[^>]*>', page.text).group()
    assert 'aria-invalid="true"' in field and "autofocus" in field
    kept = redemption_form(page.text)
    assert kept["redirect"] == "/contacts" and kept["ip"] == (address if isinstance(address, str) else "")


def redemption_form(page) -> dict:
    """The fields of the form about a login token, of the console's page or of its text."""
    text = page if isinstance(page, str) else page.get("/admin/explain").text
    return next(form["fields"] for form in wire.PageForm(text).forms if form["fields"].get("kind") == "redemption")
