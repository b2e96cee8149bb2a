"""The VA's paths against what docs/va-sign-in.md and the API's description say of them (contract §5.10)."""

import json
import re
from urllib.parse import urlencode

import jsonschema
import pytest
import yaml

import instance
import wire
from native import ACCESS_TOKEN, DEVICE_SECRET, EXCHANGE, OLD_DEVICE_SECRET, cookie_header
from va import BASE, VAApp, post, query


@pytest.fixture(scope="module")
def app(demo) -> VAApp:
    app = VAApp(demo)
    app.sign_in()
    return app


@pytest.fixture(scope="module")
def described():
    return yaml.safe_load((instance.ROOT / "Config/openapi.yaml").read_text())


def exchange_table() -> dict[str, str]:
    """The rows of "The exchange": name, required or optional."""
    page = (instance.ROOT / "docs/va-sign-in.md").read_text()
    section = page.split("\n## The exchange\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (required|optional) \|", section, re.M)
    return {name: need for names, need in rows for name in re.findall(r"\w+", names)}


def exchange(demo, app: VAApp) -> dict[str, str]:
    return {
        "grant_type": EXCHANGE, "client_id": "demo-webview", "subject_token": app.tokens["access_token"],
        "subject_token_type": ACCESS_TOKEN, "actor_token": app.tokens["device_secret"],
        "actor_token_type": OLD_DEVICE_SECRET, "scope": "openid", "audience": demo.facts["issuer"],
        "resource": demo.facts["issuer"], "requested_token_type": ACCESS_TOKEN}


def test_the_exchange_takes_the_parameters_of_its_table_and_needs_those_that_it_says(demo, app):
    table, sent = exchange_table(), exchange(demo, app)
    assert set(table) == set(sent)
    assert (post(demo, "token", **sent).status, post(demo, "token", **sent).json()) == (200, {})
    needed = {name: value for name, value in sent.items() if table[name] == "required"}
    assert post(demo, "token", **needed).status == 200
    assert post(demo, "token", **{**needed, "actor_token_type": DEVICE_SECRET}).status == 200
    by_json = demo.send("POST", f"{BASE}/token", {"Content-Type": "application/json"}, json.dumps(needed))
    assert (by_json.status, by_json.json()) == (200, {})
    for name in needed:
        refused = post(demo, "token", **{other: value for other, value in needed.items() if other != name})
        assert refused.status == 400 and refused.json()["errors"].endswith("can't be blank"), name


def test_the_exchanges_parameters_are_in_the_description(described):
    request = described["components"]["schemas"]["CompatibleTokenRequest"]
    assert set(exchange_table()) <= set(request["properties"])


def test_the_front_doors_parameters_are_in_the_description(described):
    def parameters(path: str) -> set[str]:
        return {parameter["name"] for parameter in described["paths"][path]["get"]["parameters"]}

    asked = {"application", "code_challenge", "code_challenge_method", "scope"}
    assert asked | {"oauth"} <= parameters("/sign-in")
    for path in ["authorize", "authorize_sso"]:
        assert asked | {"client_id", "redirect_uri", "state", "acr", "type", "operation"} <= parameters(f"{BASE}/{path}")


def flaws(described: dict, path: str, method: str, answer: wire.Answer) -> list[str]:
    """In what an answer is not as its operation says."""
    responses = described["paths"][f"{BASE}/{path}"][method]["responses"]
    if str(answer.status) not in responses:
        return [f"{answer.status} is not described"]
    response = responses[str(answer.status)]
    if "$ref" in response:
        response = described["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    content = response.get("content")
    if content is None:
        return ["has a body"] if answer.body else []
    media_type = answer.header("Content-Type").partition(";")[0]
    if media_type not in content:
        return [f"{media_type} is not described"]
    if "json" not in media_type:
        return []
    schema = {**content[media_type]["schema"], "components": described["components"]}
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(answer.body))]


def test_the_vas_paths_answer_as_described(demo, described):
    app = VAApp(demo)
    app.sign_in()
    bearer = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    by_name = {"Accept": "application/vnd.drawbridge.cookies+json"}
    page = {**wire.NAVIGATION, "Accept": "text/html"}
    sent = exchange(demo, app)
    view = post(demo, "token", **sent)
    renewing = {**cookie_header(view), "X-CSRF-Token": view.cookies["vagov_anti_csrf_token"].value}
    refreshed = post(demo, "refresh", refresh_token=app.tokens["refresh_token"])
    newest = refreshed.json()["data"]["refresh_token"]
    answers = [
        ("token", "post", 200, view),
        ("token", "post", 200, post(demo, "token", by_name, **sent)),
        ("token", "post", 200, post(demo, "token", **{**sent, "client_id": "demo-app-b"})),
        ("token", "post", 400, post(demo, "token")),
        ("token", "post", 413, post(demo, "token", code="c" * 70_000)),
        ("refresh", "post", 200, refreshed),
        ("refresh", "post", 403, post(demo, "refresh", cookie_header(view))),
        ("refresh", "post", 200, post(demo, "refresh", renewing)),
        ("refresh", "post", 401, post(demo, "refresh", refresh_token="nonsense")),
        ("authorize", "get", 303, demo.send("GET", f"{BASE}/authorize?" + query(client_id="demo-app"))),
        ("authorize", "get", 400, demo.send("GET", f"{BASE}/authorize?" + query(client_id="demo-app", acr="loa9"))),
        ("authorize_sso", "get", 303, demo.send("GET", f"{BASE}/authorize_sso?" + query(client_id="demo-app"))),
        ("authorize_sso", "get", 400, demo.send("GET", f"{BASE}/authorize_sso?" + query(client_id="nobody"), page)),
        ("user_info", "get", 200, demo.send("GET", f"{BASE}/user_info", bearer)),
        ("user_info", "get", 401, demo.send("GET", f"{BASE}/user_info")),
        ("logout", "get", 200, demo.send("GET", f"{BASE}/logout", page)),
        ("logout", "post", 403, post(demo, "logout", {"Origin": "https://elsewhere.example"})),
        ("revoke_all_sessions", "get", 200, demo.send("GET", f"{BASE}/revoke_all_sessions", page)),
        ("revoke_all_sessions", "post", 401, post(demo, "revoke_all_sessions")),
        ("revoke", "post", 400, post(demo, "revoke")),
        ("revoke", "post", 200, post(demo, "revoke", refresh_token=newest)),
        ("revoke", "post", 401, post(demo, "revoke", refresh_token=newest)),
    ]
    wrong = [(path, method, status, answer.status, flaws(described, path, method, answer))
             for path, method, status, answer in answers
             if answer.status != status or flaws(described, path, method, answer)]
    assert wrong == []


def test_an_answer_that_is_not_as_described_is_found(demo, described):
    refused = post(demo, "token")
    assert flaws(described, "token", "post", refused) == []
    assert flaws(described, "user_info", "get", demo.send("GET", f"{BASE}/nothing")) == ["has a body"]
    page = demo.send("GET", f"{BASE}/logout", {**wire.NAVIGATION, "Accept": "text/html"})
    assert flaws(described, "user_info", "get", page) == ["text/html is not described"]
    without = {**described, "components": {**described["components"], "schemas": {"CompatibleError": {"type": "array"}}}}
    assert flaws(without, "token", "post", refused) != []


def test_the_forms_of_the_description_are_what_the_paths_take(demo, app, described):
    """A form from the description, with tokens of this instance in the place of its examples."""
    content = described["paths"][f"{BASE}/token"]["post"]["requestBody"]["content"]
    own = {"client_id": "demo-webview", "subject_token": app.tokens["access_token"],
           "actor_token": app.tokens["device_secret"]}
    for media_type, body in content.items():
        fields = {**body["example"], **own}
        text = urlencode(fields) if media_type == wire.FORM else json.dumps(fields)
        assert demo.send("POST", f"{BASE}/token", {"Content-Type": media_type}, text).json() == {}, media_type
