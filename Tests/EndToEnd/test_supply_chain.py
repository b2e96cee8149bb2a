"""What the program is made of is listed, under licences that somebody looked at."""

import json
import re
import shutil
import subprocess
import sys

import pytest

import instance

SBOM = instance.ROOT / "deploy/sbom.py"
BUILD = instance.ROOT / ".build"

resolved = pytest.mark.skipif(not (BUILD / "workspace-state.json").exists(), reason="nothing was resolved here")


def sbom(*arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    done = subprocess.run([sys.executable, SBOM, *map(str, arguments)], capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@resolved
def test_every_licence_is_the_one_that_was_looked_at():
    sbom("--check")


@resolved
def test_the_list_of_parts_names_every_package_once_with_its_version_and_licence():
    document = json.loads(sbom().stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document == json.loads(sbom().stdout)
    names = [component["bom-ref"] for component in document["components"]]
    assert len(names) == len(set(names)) > 25
    for component in document["components"]:
        assert component["version"] and component["purl"].startswith(("pkg:swift/github.com/", "pkg:deb/debian/"))
        [licence] = component["licenses"]
        assert "unknown" not in licence["license"].values()
    required = {component["bom-ref"] for component in document["components"] if component["scope"] == "required"}
    assert set(document["dependencies"][0]["dependsOn"]) == required and "jwt-kit" not in required
    # What the manifest asks for is what there is.
    manifest = (instance.ROOT / "Package.swift").read_text()
    versions = {component["name"]: component["version"] for component in document["components"]}
    asked = re.findall(r'url: "https://github.com/[\w-]+/([\w.-]+?)(?:\.git)?", exact: "([\d.]+)"', manifest)
    assert len(asked) >= 15
    for name, version in asked:
        assert versions[name.lower()] == version, name


@resolved
def test_a_package_that_nobody_looked_at_and_a_changed_licence_are_found(tmp_path):
    state = json.loads((BUILD / "workspace-state.json").read_text())
    first, second = state["object"]["dependencies"][:2]
    for dependency in state["object"]["dependencies"]:
        folder = tmp_path / "checkouts" / dependency["subpath"]
        folder.mkdir(parents=True)
        for licence in (BUILD / "checkouts" / dependency["subpath"]).glob("LICEN*"):
            shutil.copy(licence, folder / licence.name)
    first["packageRef"]["identity"] = "stranger"
    for licence in (tmp_path / "checkouts" / second["subpath"]).glob("LICEN*"):
        licence.write_text("GNU AFFERO GENERAL PUBLIC LICENSE")
    (tmp_path / "workspace-state.json").write_text(json.dumps(state))
    found = sbom("--build", tmp_path, "--check", check=False)
    assert found.returncode == 1
    assert "stranger: is not in deploy/licences.json" in found.stdout
    assert f"{second['packageRef']['identity']}: its licence is not" in found.stdout


def test_the_page_of_licences_is_the_table():
    assert sbom("--table").stdout.strip() in (instance.ROOT / "docs/licences.md").read_text()


def test_every_package_of_the_manifests_has_an_exact_version():
    for manifest in ("Package.swift", "bench/Package.swift", "fuzz/Package.swift"):
        text = (instance.ROOT / manifest).read_text()
        asked = re.findall(r'\.package\(\s*url: "[^"]+",\s*(\w+):', text)
        assert asked and set(asked) == {"exact"}, manifest
