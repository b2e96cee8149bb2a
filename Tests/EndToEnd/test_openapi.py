"""The descriptions at /openapi.json and /openapi-console.json against the running server."""

import json
import re
from urllib.parse import urlencode

import jsonschema
import pytest
import yaml

import instance
import wire


@pytest.fixture(scope="module")
def described(demo):
    """What programs call and visitors see, and apart from it the console."""
    answers = [demo.send("GET", path) for path in ("/openapi.json", "/openapi-console.json")]
    assert all(answer.status == 200 and answer.header("Content-Type") == "application/json" for answer in answers)
    return [json.loads(answer.body) for answer in answers]


def test_the_server_serves_the_file_in_two_parts(described, written):
    api, console = described
    assert api["paths"] | console["paths"] == written["paths"] and not set(api["paths"]) & set(console["paths"])
    assert {operation["tags"][0] for operation in operations(console)} == {"console"}
    assert "console" not in {operation["tags"][0] for operation in operations(api)}
    for part in described:
        for section, members in part["components"].items():
            assert members.items() <= written["components"][section].items()
        assert {tag["name"] for tag in part["tags"]} == {operation["tags"][0] for operation in operations(part)}


def test_a_program_that_reads_the_api_finds_no_page_of_the_console(described):
    api, console = described
    assert not [path for path in api["paths"] if path.startswith("/admin")]
    assert all(path.startswith("/admin/") for path in console["paths"])
    assert "/api/admin/users" in api["paths"]


def test_every_described_address_takes_what_is_described(demo, written):
    for path, operations in written["paths"].items():
        # One answers every method alike, others are there only where they are configured.
        if path == "/auth/check" or "x-configured" in operations:
            continue
        answer = demo.send("OPTIONS", path.replace("{", "").replace("}", ""))
        assert answer.status == 204, path
        allowed = {method.strip().lower() for method in answer.header("Allow").split(",")}
        assert set(operations) <= allowed, (path, allowed)
        assert allowed - {"options", "head"} <= set(operations), (path, allowed)


def test_every_reference_leads_somewhere_and_nothing_lies_about(described):
    for description in described:
        leads_somewhere(description)


def test_a_text_with_a_comma_is_one_text(written):
    """YAML reads `{description: One, or two.}` as two members, of which the second has no value."""
    def empty(value, path):
        if value is None:
            yield path
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
        for name, member in members:
            yield from empty(member, [*path, name])
    assert [path for path in empty(written, []) if not {"example", "enum"} & set(path)] == []


def leads_somewhere(description):
    found = set()

    def walk(node):
        if isinstance(node, dict):
            if "$ref" in node:
                target = description
                for part in node["$ref"].removeprefix("#/").split("/"):
                    target = target[part]
                found.add(node["$ref"])
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(description)
    assert found == {f"#/components/{section}/{name}" for section, members in description["components"].items()
                     for name in members if section != "securitySchemes"}
    identifiers = [operation["operationId"] for path in description["paths"].values()
                   for operation in path.values() if isinstance(operation, dict)]
    assert len(identifiers) == len(set(identifiers))


def operations(document):
    return [operation for path in document["paths"].values() for operation in path.values()
            if isinstance(operation, dict)]


def bodies(document):
    """The bodies of all requests and of all answers that went well: whose, which type, what is said of them."""
    for operation in operations(document):
        sources = [operation.get("requestBody", {})]
        sources += [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        for source in sources:
            for media_type, content in source.get("content", {}).items():
                yield operation["operationId"], media_type, content


def untyped(schema, place):
    """Objects of a schema whose members nobody names, and lists of anything, without a stated reason."""
    if isinstance(schema, list):
        return [found for index, child in enumerate(schema) for found in untyped(child, f"{place}[{index}]")]
    if not isinstance(schema, dict) or "x-untyped" in schema:
        return []
    found = []
    kinds = schema.get("type", [])
    if "object" in ([kinds] if isinstance(kinds, str) else kinds) and not {
            "properties", "additionalProperties"} & set(schema):
        found.append(place)
    if kinds == "array" and "items" not in schema:
        found.append(place)
    for word in ("items", "additionalProperties", "oneOf", "anyOf", "allOf"):
        found += untyped(schema.get(word), f"{place}.{word}")
    for name, child in schema.get("properties", {}).items():
        found += untyped(child, f"{place}.{name}")
    return found


def flaws(schema, example, document):
    """What of an example does not fit its schema."""
    rooted = {**schema, "components": document["components"]}
    # `$ref` leads into the components of the whole document.
    validator = jsonschema.Draft202012Validator(rooted)
    return [error.message for error in validator.iter_errors(example)]


@pytest.fixture(scope="module")
def written():
    return yaml.safe_load((instance.ROOT / "Config" / "openapi.yaml").read_text())


#: What an operation of the API changes, by the forms of the console that change the same.
FORMS_OF_CHANGES = {
    "addClient": {"consoleAddClient"}, "replaceClient": {"consoleSaveClient"}, "patchClient": {"consoleSaveClient"},
    "deleteClient": {"consoleDeleteClient"}, "renewClientSecret": {"consoleRenewClientSecret"},
    "revokeDeviceSecret": {"consoleRevokeDeviceSecret"}, "explain": {"consoleAnswer"},
    "rotateKeys": {"consoleRotateKeys"}, "retireKey": {"consoleRetireKey"}, "endSession": {"consoleEndSession"},
    "changeNativeSSOSettings": {"consoleSaveNativeSSOSettings"},
    "resetNativeSSOSettings": {"consoleResetNativeSSOSettings"}, "addUser": {"consoleAddUser"},
    "changeUser": {"consoleStanding", "consoleSetPassword", "consoleChangeRole"},
    "endSessionsOfUser": {"consoleEndSessions"}, "unlinkKeyOfUser": {"consoleUnlinkKey"},
    "withdrawConsentOfUser": {"consoleWithdrawConsent"},
}
#: What docs/administration.md says only the console does, and what is the browser's own.
FORMS_ALONE = {"consoleRenameUser", "consoleMakeSetUpLink", "consoleResetSecondFactor", "consoleRemovePasskey",
               "consoleAcknowledge", "consoleVerify", "openConsole", "closeConsole"}


def test_whatever_the_api_changes_a_form_of_the_console_changes_too(written):
    def changes(prefix: str) -> set[str]:
        return {operation["operationId"] for path, operations in written["paths"].items() if path.startswith(prefix)
                for method, operation in operations.items() if method in ("post", "put", "patch", "delete")}
    assert changes("/api/admin/") == set(FORMS_OF_CHANGES)
    assert changes("/admin/") == set().union(*FORMS_OF_CHANGES.values()) | FORMS_ALONE


def test_every_operation_says_what_it_does(written):
    assert [operation["operationId"] for operation in operations(written)
            if len(operation.get("description", "")) < 40] == []


#: Where nobody has anything to say: what counts is in the header fields.
WITHOUT_BODY = {"refreshCookies"}


def test_every_post_says_what_is_in_its_body(written):
    without = {path[method]["operationId"] for path in written["paths"].values() for method in ("post", "put", "patch")
               if method in path and "requestBody" not in path[method]}
    assert without == WITHOUT_BODY


def test_a_rate_limit_is_described_by_both_of_its_names(written):
    schema = {"$ref": "#/components/schemas/NativeSSOChange"}
    limits = {"maxAttemptsPerMinute": 10, "blockDurationMinutes": 15}
    assert flaws(schema, {"rateLimit": limits}, written) == []
    assert flaws(schema, {f"rateLimit.{name}": value for name, value in limits.items()}, written) == []
    for wrong in [{"maxAttemptsPerMinute": 101}, {"blockDurationMinutes": 0}, {"other": 1}]:
        assert flaws(schema, {"rateLimit": wrong}, written) != []


def test_a_public_app_finds_what_it_signs_out_with(demo, written):
    """Without its `client_id` it is no client at all."""
    form = written["paths"]["/oauth/revoke"]["post"]["requestBody"]["content"]["application/x-www-form-urlencoded"]
    assert {"token", "client_id"} <= form["schema"]["properties"].keys() & form["example"].keys()
    assert demo.send("POST", "/oauth/revoke", {"Content-Type": wire.FORM}, urlencode(form["example"])).status == 200


def test_every_body_has_an_example_that_fits(written):
    missing, wrong = [], []
    for name, media_type, content in bodies(written):
        if "json" not in media_type and "form" not in media_type or media_type == "application/jsonl":
            continue
        if "example" not in content:
            missing.append((name, media_type))
        else:
            wrong += [(name, flaw) for flaw in flaws(content["schema"], content["example"], written)]
    assert missing == [] and wrong == []


def test_every_object_names_its_members_or_says_why_not(written):
    found = [place for name, _, content in bodies(written) for place in untyped(content.get("schema"), name)]
    found += [place for name, schema in written["components"]["schemas"].items() for place in untyped(schema, name)]
    assert found == []


def test_the_main_call_says_what_each_of_its_members_is(written):
    contents = written["paths"]["/api/auth/create-sso-token"]["post"]["requestBody"]["content"].values()
    members = [member for content in contents for member in content["schema"]["properties"].values()]
    assert len(members) == 12 and all(member.get("description") for member in members)


def test_an_untyped_object_and_a_wrong_example_are_found():
    assert untyped({"type": "object", "properties": {"a": {"type": "object"}}}, "x") == ["x.a"]
    assert untyped({"type": "array"}, "x") == ["x"]
    assert untyped({"type": "object", "x-untyped": "why"}, "x") == []
    assert flaws({"$ref": "#/components/schemas/A"}, 1, {"components": {"schemas": {"A": {"type": "string"}}}}) != []


@pytest.mark.parametrize("which", [0, 1], ids=["API", "console"])
def test_the_page_shows_every_operation_without_a_script_of_its_own(demo, described, which):
    answer = demo.send("GET", ["/api/docs", "/api/docs/console"][which])
    page = answer.body.decode() if isinstance(answer.body, bytes) else answer.body
    assert answer.status == 200 and answer.header("Content-Type").startswith("text/html")
    assert re.findall("<script[^>]*>", page) == ['<script src="/assets/once.js" defer>'], "what every page has"
    assert [operation["operationId"] for operation in operations(described[which])
            if f'id="{operation["operationId"]}"' not in page] == []
    targets, ids = set(re.findall(r'href="#([^"]+)"', page)), re.findall(r' id="([^"]+)"', page)
    assert targets and targets <= set(ids)
    assert sorted(set(ids)) == sorted(ids), "each id is of one element"
    assert 'name="again"' not in page, "it is in English alone, so there is no menu of languages"
    assert which or "client_id=demo-web&amp;redirect=%2Fcontacts&amp;ttl=60&amp;bind=none</pre>" in page, "as a form"
