"""What the documents say about tests is true: every test that a table names exists."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import instance

#: Each with about as many names as its tables have.
DOCUMENTS = {"asvs.md": 60, "links.md": 15, "native-sso.md": 60, "seeds.md": 60, "threat-model.md": 60}


def named(text: str) -> set[str]:
    """The names in the last column of every table whose heading says `test`."""
    names, is_test_table = set(), False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            is_test_table = False
        elif cells[-1] == "test":
            is_test_table = True
        elif is_test_table:
            names.update(re.findall(r"`([^`]+)`", cells[-1]))
    return names


def existing() -> set[str]:
    folder = instance.ROOT / "Tests"
    names = set()
    for path in [*folder.glob("EndToEnd/test_*.py"), *folder.glob("conformance/*.py")]:
        names.update(re.findall(r"^(?:    )?def (test_\w+)", path.read_text(), re.M))
    for path in folder.rglob("*.swift"):
        text = path.read_text()
        names.update(re.findall(r"func `([^`]+)`", text))
        names.update(re.findall(r'ConformanceCase(?:<[^>]+>)?\(\s*"([^"]+)"', text))
    return names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_test_that_a_table_names_exists(document):
    names = named((instance.ROOT / "docs" / document).read_text())
    assert len(names) > DOCUMENTS[document]
    assert names - existing() == set()


def test_a_name_that_does_not_exist_is_found():
    table = "| what | test |\n|---|---|\n| a | `test_of_nothing` |\n"
    assert named(table) - existing() == {"test_of_nothing"}


# docs/asvs.md

# How many requirements each section of OWASP ASVS 5.0 has, of the chapters that the page is about.
REQUIREMENTS = {
    "6.1": 3, "6.2": 12, "6.3": 8, "6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4,
    "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 3, "7.6": 2,
    "9.1": 3, "9.2": 4,
    "10.1": 2, "10.2": 3, "10.3": 5, "10.4": 16, "10.5": 5, "10.6": 2, "10.7": 3,
    "13.1": 4, "13.2": 6, "13.3": 4, "13.4": 7,
    "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 4,
}


def answered(text: str) -> list[str]:
    """The numbers with a level at the beginning of table rows and list items: those in their explanations do not count."""
    numbers = []
    for line in text.splitlines():
        if line.startswith(("| ", "* ")):
            numbers += re.findall(r"(\d+\.\d+\.\d+) \(L[123]\)", re.split(r" \| |: ", line[2:])[0])
    return numbers


def test_every_requirement_of_asvs_is_answered_once():
    numbers = answered((instance.ROOT / "docs/asvs.md").read_text())
    expected = [f"{section}.{number}" for section, count in REQUIREMENTS.items() for number in range(1, count + 1)]
    assert len(numbers) == len(set(numbers)), sorted(number for number in numbers if numbers.count(number) > 1)
    assert set(numbers) == set(expected)


def test_what_a_row_of_asvs_is_met_by_has_a_test():
    met = (instance.ROOT / "docs/asvs.md").read_text().split("## Not met")[0]
    rows = [line for line in met.splitlines() if line.startswith("| ") and answered(line)]
    assert len(rows) > 60
    assert [row for row in rows if "`" not in row.strip("|").split("|")[-1]] == []


# docs/seeds.md

# How many rows each of the five systems has.
ROWS = {"S0": 58, "S1": 31, "S2": 46, "S3": 46, "S4": 23}


def seed_rows() -> dict[str, list[str]]:
    """Number, what it asks, done or different, how, tests."""
    lines = re.findall(r"^\| (S\d\.\d+) \| (.*) \|$", (instance.ROOT / "docs/seeds.md").read_text(), re.M)
    assert len(lines) == len({number for number, _ in lines})
    return {number: [cell.strip() for cell in re.split(r"(?<!\\)\|", cells)] for number, cells in lines}


def test_every_row_of_the_five_systems_is_there_once():
    assert list(seed_rows()) == [f"{system}.{row}" for system, count in ROWS.items() for row in range(1, count + 1)]
    assert sum(ROWS.values()) == 204


def test_no_row_of_the_five_systems_is_open():
    rows = seed_rows()
    assert {number: cells for number, cells in rows.items() if len(cells) != 4 or cells[1] not in ("done", "different")} == {}
    without_reason = [number for number, (_, state, how, _) in rows.items() if state == "different" and len(how) < 20]
    assert without_reason == []
    # An RFC that asks for nothing is the one thing that needs no test to be done.
    without_test = {number: how for number, (_, state, how, tests) in rows.items() if state == "done" and "`" not in tests}
    assert all("asks for nothing" in how for how in without_test.values()), without_test


# docs/clients.md

CLIENTS = (instance.ROOT / "docs/clients.md").read_text()
# Of no secret at all, so nothing opens with it.
DIGEST = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"


def client_fields() -> set[str]:
    """What a client's document may hold, from the one list that decides."""
    source = (instance.ROOT / "Sources/Bridge/Client/ClientDocument.swift").read_text()
    cases = source.split("enum Field:", 1)[1].split("}", 1)[0]
    return {name or case for case, name in re.findall(r'case (\w+)(?: = "(\w+)")?', cases)}


def test_the_table_of_clients_has_every_field_and_no_other():
    listed = re.findall(r"^\| `(\w+)` \|", CLIENTS, re.M)
    assert len(listed) == len(set(listed)) > 40
    assert set(listed) == client_fields()


def test_the_examples_of_clients_are_accepted_together(tmp_path):
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", CLIENTS, re.S)]
    settings = next(block for block in blocks if "public_origin" in block)
    settings["clients"] = [client for block in blocks for client in block.get("clients", [])]
    ids = [client["client_id"] for client in settings["clients"]]
    assert ids == ["phone-app", "www", "shop", "billing-job"]
    for client in settings["clients"]:
        if "client_secret_digest" in client:
            client["client_secret_digest"] = DIGEST
    said = check(tmp_path, yaml.safe_dump(settings))
    assert all(f"clients: {name} (" in said for name in ids)


def test_the_example_settings_are_accepted_with_all_their_clients(tmp_path):
    text = (instance.ROOT / "Config/drawbridge.example.yaml").read_text()
    before, clients = re.split(r"^(?=clients:$)", text, maxsplit=1, flags=re.M)
    names = "|".join(client_fields())
    clients = re.sub(r"^#   ", "  ", clients.split("# Receivers")[0], flags=re.M)
    clients = re.sub(rf"^(    |      )# (?=({names}): )", r"\1", clients, flags=re.M)
    said = check(tmp_path, before + clients)
    assert [client["client_id"] for client in yaml.safe_load(clients)["clients"]] == [
        "phone-app", "www", "shop", "billing-job"]
    assert "clients: shop (web)" in said and "clients: billing-job (service)" in said


def test_the_example_settings_are_accepted_with_every_field_of_an_issuer(tmp_path):
    text = (instance.ROOT / "Config/drawbridge.example.yaml").read_text()
    before, issuers, after = re.split(r"^(?=trusted_issuers:$|# Native SSO: )", text, flags=re.M)
    # One way to verify tokens alone is possible.
    others = {"jwks_file", "discovery", "hmac", "introspection"}
    issuers = re.sub(rf"^    # (?!{'|'.join(others)})(?=[a-z_]+: \S)", "    ", issuers, flags=re.M)
    [issuer] = yaml.safe_load(issuers)["trusted_issuers"]
    reader = (instance.ROOT / "Sources/drawbridge/Settings/Wings/TrustedIssuerSettings+Fields.swift").read_text()
    assert issuer.keys() | others == set(re.findall(r'\bfields\.\w+\(\s*"(\w+)"', reader))
    assert check(tmp_path, before + issuers + after)


def check(tmp_path, settings: str) -> str:
    path = tmp_path / "drawbridge.yaml"
    path.write_text(settings)
    return instance.run("check-config", "--config", str(path)).stdout.decode()


# docs/contract.md

CONTRACT = (instance.ROOT / "docs/contract.md").read_text()


def section(number: int) -> str:
    """The text under one heading of the contract."""
    return re.split(rf"^## §{number}\b.*$", CONTRACT, flags=re.M)[1].split("\n## §")[0]


def source(name: str) -> str:
    """A Swift file of the sources, wherever it is."""
    return next((instance.ROOT / "Sources").rglob(name)).read_text()


def test_the_contract_lists_every_type_of_event_and_no_other():
    events = section(13).split("Types of events")[1].split("Reasons of")[0]
    listed = set()
    for nouns in re.findall(r"`(\w+)`((?:, `\w+`)*): ((?:`\w+`(?:, |\.))+)", re.sub(r"\s+", " ", events)):
        for noun in [nouns[0], *re.findall(r"\w+", nouns[1])]:
            listed |= {f"{noun}.{verb}" for verb in re.findall(r"\w+", nouns[2])}
    declared = set(re.findall(r'Self\(rawValue: "([\w.]+)"\)', source("AuditEventType.swift")))
    assert len(declared) > 60
    assert listed == declared


def test_the_contract_lists_every_error_with_its_status():
    declared = set(re.findall(r'ErrorCode\("(\w+)", status: (\d+)\)', source("ErrorCode.swift")))
    # Four codes have another status at the token endpoint, which the page says in words.
    declared -= {(code, "400") for code in ("invalid_token", "access_denied", "slow_down", "unauthorized_client")}
    listed = set()
    for statuses, codes in re.findall(r"^\* ((?:\d{3}(?:, )?)+): (.*?)(?=^\* |^$)", section(11), re.M | re.S):
        names = re.findall(r"`([a-z_]+)`", codes)
        numbers = re.findall(r"\d{3}", statuses)
        listed |= set(zip(names, numbers if len(numbers) == len(names) else numbers * len(names)))
    assert len(declared) > 30
    assert listed == declared


def test_the_contract_lists_every_reason_of_a_refused_login_token():
    source_text = next(
        text for text in (path.read_text() for path in (instance.ROOT / "Sources/Bridge").rglob("*.swift"))
        if "enum RedemptionRefusal:" in text)
    cases = source_text.split("enum RedemptionRefusal:")[1].split("init(")[0]
    declared = {value or name for name, value in re.findall(r'case (\w+)(?: = "(\w+)")?', cases)}
    listed = set(re.findall(r"`(\w+)`", section(13).split("Reasons of `login_token.refused`:")[1]))
    assert len(declared) > 10
    assert listed == declared


def test_the_readme_shows_the_demo_and_the_console():
    pictures = re.findall(r"^!\[(.+)\]\((docs/pictures/\w+\.png)\)$", (instance.ROOT / "README.md").read_text(), re.M)
    assert [Path(path).stem for _, path in pictures] == ["demo", "console"]
    assert all(len(words) > 40 and (instance.ROOT / path).exists() for words, path in pictures)


def test_the_contract_has_every_route_but_those_of_the_console():
    api = yaml.safe_load((instance.ROOT / "Config/openapi.yaml").read_text())
    known = {path for path in api["paths"] if not path.startswith("/admin/")}
    assert len(known) > 40
    missing = {path for path in known if not any(
        f"{start}{path.removeprefix(prefix)}" in CONTRACT
        for start, prefix in (("", ""), ("`", "/api/admin/"), (" ", "/api/admin/")))}
    assert missing == set()


# docs/architecture.md

def test_every_type_and_folder_that_the_architecture_names_exists():
    text = (instance.ROOT / "docs/architecture.md").read_text()
    sources = instance.ROOT / "Sources"
    roots = [sources, instance.ROOT / "clients" / "swift" / "Sources"]
    declared = {path.name for root in roots for path in root.rglob("*") if path.is_dir()}
    for path in (path for root in roots for path in root.rglob("*.swift")):
        declared.update(re.findall(r"\b(?:struct|class|enum|actor|protocol|typealias) (\w+)", path.read_text()))
    named = set(re.findall(r"`([A-Z][A-Za-z]+)`", text))
    folders = set(re.findall(r"`((?:Bridge|SQLStorage|BridgeHTTP|drawbridge)/[\w/]+)`", text))
    assert len(named) > 30 and len(folders) > 3
    assert named - declared - {"NOTIFY"} == set()
    assert {folder for folder in folders if not (sources / folder).is_dir()} == set()


def test_the_graph_of_the_targets_is_the_packages():
    text = (instance.ROOT / "docs/architecture.md").read_text()
    graph = {}
    for name, others in re.findall(r"^ +([\w-]+)(?:\[[\w-]+\])? --> ([\w &-]+)$", text, re.MULTILINE):
        graph[{"app": "drawbridge-app", "phone": "drawbridge-phone"}.get(name, name)] = set(others.split(" & "))

    def reached(name: str) -> set[str]:
        return {one for other in graph.get(name, ()) for one in {other} | reached(other)}

    depends = {}
    for target in re.split(r"\.(?:target|executableTarget)\(", (instance.ROOT / "Package.swift").read_text())[1:]:
        name = re.match(r'\s*name: "([^"]+)"', target)[1]
        listed = target.partition("dependencies: [")[2].partition("]")[0]
        depends[name] = set(re.findall(r'"([\w-]+)"', re.sub(r"\.product\([^)]*\)", "", listed)))
    drawn = graph.keys() | set().union(*graph.values())
    assert {"Bridge", "SQLStorage", "drawbridge"} <= graph.keys(), "the drawing is not read as it is written"
    tools = {"bench-storage", "client-journey"}
    assert depends.keys() - drawn == tools | {"TestSupport", "BridgeTestSupport", "StorageConformance"}
    for name in graph:
        assert graph[name] <= depends[name], name
        assert depends[name] & drawn <= reached(name), name


def test_what_tests_share_is_in_no_program_and_half_of_it_knows_nothing_of_the_service():
    manifest = (instance.ROOT / "Package.swift").read_text()
    targets = re.findall(r'\n        \.(target|executableTarget|testTarget)\(\s+name: "([^"]+)",(.*?)swiftSettings: strict\)',
                         manifest, re.DOTALL)
    users = {name: kind == "testTarget" or 'path: "Tests/' in rest for kind, name, rest in targets
             if re.search('"(?:Bridge)?TestSupport"', rest)}
    assert len(users) > 5 and all(users.values()), users
    assert "TestSupport" not in manifest.partition("products: [")[2].partition("dependencies: [")[0]
    [shared] = [rest for _, name, rest in targets if name == "TestSupport"]
    assert "dependencies" not in shared


def test_the_decisions_are_listed_once_each_in_their_order():
    decisions = instance.ROOT / "docs/adr"
    listed = re.findall(r"^\* \[ADR-\d+\]\(([^)]+)\)", (decisions / "README.md").read_text(), re.MULTILINE)
    assert listed == sorted(path.name for path in decisions.glob("ADR-*.md"))


def test_the_index_of_the_documents_leads_to_every_one():
    docs = instance.ROOT / "docs"
    led_to = {target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", (docs / "README.md").read_text())}
    for page in sorted({*docs.glob("*.md")} - {docs / "README.md"}):
        assert str(page.relative_to(docs)) in led_to, page.name


def test_the_site_has_every_page_and_a_search_and_needs_no_other_host(tmp_path):
    """Strictly: a link or an anchor that leads nowhere fails it."""
    done = subprocess.run(
        [sys.executable, str(instance.ROOT / "docs" / "site.py"), str(tmp_path / "site")], capture_output=True, text=True,
        timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text())["docs"]
    places = {entry["location"].split("#")[0] for entry in found}
    for page in [*(instance.ROOT / "docs").rglob("*.md"), instance.ROOT / "README.md",
                 instance.ROOT / "clients" / "jvm" / "README.md"]:
        name = page.relative_to(instance.ROOT).as_posix()
        place = name.removesuffix("README.md") if name.endswith("README.md") else name.removesuffix(".md") + "/"
        assert place in places, name
        html = (tmp_path / "site" / place / "index.html").read_text()
        assert not re.findall(r"<(?:script|link|img|iframe)[^>]+(?:https?:)?//[^>]+>",
                              html.replace('rel="canonical"', "")), name
