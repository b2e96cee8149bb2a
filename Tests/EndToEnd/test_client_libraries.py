"""The client libraries: their own tests, the vectors, and the page that says which library has what."""

import json
import platform
import re
import shutil
import sys
from pathlib import Path

import pytest

import instance
import node_package
from libraries import CLIENTS, cases, is_skipped, played, run, skips

ROOT = instance.ROOT
PAGE = ROOT / "docs" / "client-libraries.md"


def test_the_javascript_library_passes_every_case_and_works_with_the_real_server():
    said = run(["node", "--test", "--test-reporter=tap", "clients/js/test/vectors.test.mjs",
                "clients/js/test/real.test.mjs", "clients/js/test/store.test.mjs", "clients/js/test/locks.test.mjs",
                "clients/js/test/loopback.test.mjs", "clients/js/test/page.test.mjs", "clients/js/test/ends.test.mjs"])
    assert all(f" - {case['id']}:" in said for case in played("js"))


def test_the_types_of_the_javascript_library_fit_strict_programs():
    run(["tsc", "-p", "clients/js/tsconfig.json"])


@pytest.mark.parametrize("module", ["drawbridge", "node", "page"])
def test_everything_that_a_javascript_module_exports_has_its_type(module):
    exported = node_package.exported(CLIENTS / "js" / f"{module}.mjs")
    assert exported and exported == node_package.declared(CLIENTS / "js" / f"{module}.d.mts")


@pytest.mark.parametrize("module", ["drawbridge", "page"])
def test_the_javascript_library_imports_nothing_but_files_of_its_own(module):
    files, others = node_package.reached(CLIENTS / "js" / f"{module}.mjs")
    assert others == set()
    # A browser loads them by these names: none is left out, and none is found by Node alone.
    assert {file.suffix for file in files} == {".mjs"}


def test_the_javascript_package_holds_the_files_that_its_modules_need_and_no_other():
    folder = CLIENTS / "js"
    needed = {file for entry in node_package.entries(folder).values() for file in node_package.reached(entry)[0]}
    types = {file for file in node_package.shipped(folder) if file.name.endswith(".d.mts")}
    assert {file.name for file in types} == {"drawbridge.d.mts", "node.d.mts", "page.d.mts"}
    assert node_package.shipped(folder) == needed | types | {(folder / "README.md").resolve()}


def test_the_pages_script_is_built_from_the_library():
    """What it does in a page is tried in browsers (test_web_view_browser.py, test_main_road_browser.py)."""
    assert run([str(ROOT / "public/page-script.sh")]) == (ROOT / "public/assets/drawbridge.js").read_text()


def test_a_bundle_watches_the_session_by_the_module_as_a_page_does_by_the_script(demo, tmp_path):
    script = tmp_path / "page.mjs"
    module = json.dumps((CLIENTS / "js/page.mjs").as_uri())
    # A page with nothing but what the module takes of a browser.
    script.write_text(f"""
import {{ watchSession }} from {module};
Object.assign(globalThis, {{ self: globalThis, addEventListener() {{}},
    document: Object.assign(new EventTarget(), {{ cookie: "", visibilityState: "visible" }}) }});
delete globalThis.BroadcastChannel;
const ask = fetch;
globalThis.fetch = (path, init) => ask({json.dumps(demo.base)} + path, {{ ...init, headers: {{ cookie: process.argv[2] }} }});
const session = watchSession();
console.log(JSON.stringify([session.session(), await session.refresh(), session.hasSession()]));
process.exit(0);
""")
    before, state, has_session = json.loads(run(["node", str(script), demo.sign_in("alice")]))
    assert before is None and has_session
    assert (state["authenticated"], state["sub"]) == (True, demo.user("alice")["sub"])


def test_every_case_proves_something_of_its_own():
    found = cases()
    assert len(found) >= 200
    assert len({case["proves"] for case in found}) == len(found)
    scripts: dict[str, str] = {}
    for case in found:
        script = json.dumps([case["steps"], case["exchange"], case.get("apps"), case.get("begin")])
        assert script not in scripts, (case["id"], scripts[script])
        scripts[script] = case["id"]


def test_a_renewal_gives_up_before_the_servers_grace_is_over():
    """A lost answer can be asked for again until then, and looks like a theft after it (contract §5.2). That each library
    uses its limit is shown by the case, whose answer comes between the two."""
    def seconds(path: str, pattern: str) -> float:
        return float(re.search(pattern, (ROOT / path).read_text())[1].replace("_", ""))

    grace = seconds("Sources/Bridge/Provider/Grant/RefreshTokens.swift", r"static let grace = Duration\.seconds\((\d+)\)")
    limits = {
        "js": seconds("clients/js/drawbridge/token-endpoint.mjs", r"const longestRenewal = (\d+);") / 1000,
        "jvm": seconds("clients/jvm/src/drawbridge/client/TokenEndpoint.java", r"int LONGEST_RENEWAL = ([\d_]+);") / 1000,
        "python": seconds("clients/python/drawbridge_client/token_endpoint.py", r"LONGEST_RENEWAL = (\d+)\n"),
        "swift": seconds("clients/swift/Sources/DrawbridgeClient/SignIn/Drawbridge+SignIn.swift",
                         r"let longestRenewal: Double = (\d+)\n")}
    assert sorted(limits) == libraries()
    [case] = [case for case in cases() if case["id"] == "refresh.answer-later-than-a-renewal-waits"]
    answered = case["exchange"][0]["answer"]["hold_ms"] / 1000
    for library, limit in limits.items():
        # What is left is for the app to ask again in.
        assert limit <= grace - 3 and limit < answered < grace, library


#: By each error's name, and by `refused.CODE`: what its sentence tells to do.
ADVICE = json.loads((CLIENTS / "vectors/advice.json").read_text())


def test_the_list_of_errors_is_that_of_the_readme_and_of_what_cases_expect():
    text = (CLIENTS / "vectors/README.md").read_text().split("## Errors")[1].split("## The browser")[0]
    named = set()
    for cell in re.findall(r"^\| (`[^|]+) \|", text, re.M):
        first, *more = re.findall(r"`([\w.]+)`", cell)
        named |= {first, *(name if not name.startswith(".") else first.split(".")[0] + name for name in more)}
    assert {name for name in ADVICE if not name.startswith("refused.")} == named

    def expected(value):
        if isinstance(value, dict):
            yield from ([value["error"]] if isinstance(value.get("error"), str) else [])
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            yield from expected(inner)

    assert set(expected([case["steps"] for case in cases()])) <= named


def sentences(library: str) -> dict[str, str]:
    """What each error of the list says in the library; Swift's are asked for in VectorTests."""
    names = {name: ("refused", name[8:]) if name.startswith("refused.") else (name, None) for name in ADVICE}
    if library == "python":
        sys.path.insert(0, str(CLIENTS / "python"))
        from drawbridge_client import DrawbridgeError
        return {name: str(DrawbridgeError(code, oauth=oauth)) for name, (code, oauth) in names.items()}
    if library == "js":
        module = json.dumps((CLIENTS / "js/drawbridge.mjs").as_uri())
        said = run(["node", "--input-type=module", "-e", f"""
            import {{ DrawbridgeError }} from {module};
            const say = ([code, oauth]) => new DrawbridgeError(code, undefined, {{ oauth: oauth ?? undefined }}).message;
            const said = Object.entries({json.dumps(names)}).map(([name, it]) => [name, say(it)]);
            console.log(JSON.stringify(Object.fromEntries(said)));
            """])
        return json.loads(said)
    source = re.sub(r'"\s*\+ "', "", (CLIENTS / "jvm/src/drawbridge/client/DrawbridgeException.java").read_text())
    tables = {kind: dict(re.findall(rf'{kind}\.put\("([^"]+)", "([^"]+)"\)', source)) for kind in ["SENTENCES", "ADVICE"]}
    other = re.search(r'OTHER_ADVICE = "([^"]+)"', source)[1]
    return {name: tables["SENTENCES"].get(code, "") + (tables["ADVICE"].get(oauth, other) if code == "refused" else "")
            for name, (code, oauth) in names.items()}


@pytest.mark.parametrize("library", ["js", "jvm", "python"])
def test_every_error_tells_what_to_do_and_the_same_in_every_library(library):
    """The scripted server asks it of each error that comes up in a case as well."""
    said = sentences(library)
    for name, advice in ADVICE.items():
        assert advice.lower() in said[name].lower(), (name, said[name])
        assert len(said[name].split()) > len(advice.split()) + 2 or name.startswith("refused"), (name, said[name])


def libraries() -> list[str]:
    return sorted(file.parent.name for file in CLIENTS.glob("*/skips.json"))


def test_the_table_says_how_many_cases_each_library_passes():
    """Every library's own suite plays all cases that are not skipped, so what is left is what it passes."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in PAGE.read_text().split("## Which library passes what")[1].splitlines()
            if line.startswith(("| `", "| topic"))]
    header, *lines = rows
    assert sorted(name.strip("`") for name in header[2:]) == libraries()
    shown = {line[0].strip("`"): line[1:] for line in lines}
    found = cases()
    assert sorted(shown) == sorted({case["topic"] for case in found})
    for topic, (count, *numbers) in shown.items():
        mine = [case for case in found if case["topic"] == topic]
        assert int(count) == len(mine), topic
        for library, number in zip((name.strip("`") for name in header[2:]), numbers):
            assert int(number) == sum(not is_skipped(case, skips(library)) for case in mine), (topic, library)


def test_every_skip_has_its_reason_on_the_page_and_concerns_a_case():
    text = PAGE.read_text()
    needs = {need for case in cases() for need in case["needs"]}
    for library in libraries():
        skipped = skips(library)
        assert set(skipped["needs"]) <= needs and set(skipped["cases"]) <= {case["id"] for case in cases()}
        for name, reason in [*skipped["needs"].items(), *skipped["cases"].items()]:
            assert len(reason.split()) >= 4 and f"`{name}`" in text and reason in " ".join(text.split()), (library, name)


def test_the_apple_parts_of_the_swift_library_fit_the_signatures_that_they_use():
    """Against stand-ins: whether the signatures are Apple's, only a Mac can say."""
    run([str(CLIENTS / "swift" / "StandIns" / "check")])


def test_an_app_of_old_systems_can_build_the_swift_library_in_without_the_service():
    manifest = json.loads(run(["swift", "package", "dump-package", "--package-path", str(CLIENTS / "swift")]))
    assert {it["platformName"]: it["version"] for it in manifest["platforms"]} == {"ios": "15.0", "macos": "12.0"}
    assert [product["name"] for product in manifest["products"]] == ["DrawbridgeClient"]
    assert [target["name"] for target in manifest["targets"]] == ["DrawbridgeClient"]
    (dependency,) = manifest["dependencies"]
    assert "swift-crypto" in json.dumps(dependency)


def test_docc_makes_documentation_of_the_swift_library_without_a_warning(tmp_path):
    docc = Path(shutil.which("swift")).resolve().with_name("docc")
    target = f"{platform.machine()}-unknown-linux-gnu"
    run(["swift-symbolgraph-extract", "-module-name", "DrawbridgeClient", "-I", ".build/debug/Modules", "-target", target,
         "-minimum-access-level", "public", "-output-dir", str(tmp_path)])
    made = tmp_path / "made"
    said = run([str(docc), "convert", str(CLIENTS / "swift/Sources/DrawbridgeClient/Documentation.docc"),
                "--additional-symbol-graph-dir", str(tmp_path), "--fallback-display-name", "DrawbridgeClient",
                "--fallback-bundle-identifier", "drawbridge.client", "--output-dir", str(made)])
    # What Apple's platforms alone have is no part of a module that was built here.
    assert [line for line in said.splitlines() if re.match("(warning|error): ", line)] == [
        "warning: 'KeychainSecretStore' doesn't exist at '/DrawbridgeClient'"], said
    assert (made / "data/documentation/drawbridgeclient/drawbridge.json").exists()


def test_what_the_catalogue_of_the_swift_library_links_to_is_there():
    source = "\n".join(path.read_text() for path in sorted((CLIENTS / "swift/Sources").rglob("*.swift")))
    catalogue = (CLIENTS / "swift/Sources/DrawbridgeClient/Documentation.docc/DrawbridgeClient.md").read_text()
    links = re.findall(r"(?<!`)``([^`\n]+)``(?!`)", catalogue)
    assert len(links) > 30
    for link in links:
        for name in re.match(r"[\w/]+", link)[0].split("/"):
            found = rf"public .*\b(struct|class|actor|enum|protocol|func|var|let) {name}\b"
            assert name == "DrawbridgeClient" or re.search(found, source), link
