"""What the program is made of is listed, under licences that somebody looked at."""

import hashlib
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
def test_every_licence_is_the_one_that_was_looked_at_and_every_version_the_manifests():
    sbom("--check")


@resolved
def test_the_list_of_parts_names_every_package_once_with_its_version_and_licence():
    document = json.loads(sbom().stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document == json.loads(sbom().stdout)
    names = [component["bom-ref"] for component in document["components"]]
    assert len(names) == len(set(names)) > 25
    for component in document["components"]:
        assert component["version"] and component["purl"].startswith(
            ("pkg:swift/github.com/", "pkg:deb/debian/", "pkg:github/swiftlang/swift@swift-"))
        [licence] = component["licenses"]
        assert "unknown" not in licence["license"].values()
    required = {component["bom-ref"] for component in document["components"] if component["scope"] == "required"}
    assert set(document["dependencies"][0]["dependsOn"]) == required and "jwt-kit" not in required


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
    third = state["object"]["dependencies"][-1]
    third["state"]["checkoutState"]["version"] = "0.0.1"
    (tmp_path / "workspace-state.json").write_text(json.dumps(state))
    found = sbom("--build", tmp_path, "--check", check=False)
    assert found.returncode == 1
    assert "stranger: is not in deploy/licences.json" in found.stdout
    assert "stranger: is built in version" in found.stdout
    assert f"{second['packageRef']['identity']}: its licence is not" in found.stdout
    assert f"{third['packageRef']['identity']}: is built in version 0.0.1" in found.stdout


STATUS = """Package: libpq5
Status: install ok installed
Architecture: amd64
Version: 15.14-0+deb12u1
Description: PostgreSQL C client library
 libpq is a C library
 Version: of nothing

Package: removed
Status: deinstall ok config-files
Architecture: all
Version: 1:2.0~rc1-3

Package: tzdata
Status: install ok installed
Architecture: all
Version: 2025b-0+deb12u1
"""


@resolved
def test_the_list_of_an_image_names_every_package_that_is_installed_in_it(tmp_path):
    (tmp_path / "status").write_text(STATUS)
    parts = json.loads(sbom("--image", tmp_path / "status").stdout)["components"]
    assert [part["purl"] for part in parts if part["purl"].endswith(("amd64", "all"))] == [
        "pkg:deb/debian/libpq5@15.14-0%2Bdeb12u1?arch=amd64", "pkg:deb/debian/tzdata@2025b-0%2Bdeb12u1?arch=all"]
    # What is inside the program is a part of the image too, and what the image has of Debian is not told twice.
    names = [part["name"] for part in parts]
    assert {"hummingbird", "swift", "libqrcodegen1"} <= set(names) and names.count("libpq5") == 1


def test_the_page_of_licences_is_the_table():
    assert sbom("--table").stdout.strip() in (instance.ROOT / "docs/licences.md").read_text()


def test_every_package_of_the_manifests_has_an_exact_version():
    for manifest in ("Package.swift", "bench/Package.swift", "fuzz/Package.swift"):
        text = (instance.ROOT / manifest).read_text()
        asked = re.findall(r'\.package\(\s*url: "[^"]+",\s*(\w+):', text)
        assert asked and set(asked) == {"exact"}, manifest


#: Linked with nothing of Swift, as a release is, with digests such as its compiler leaves of how it was called, and otherwise
#: the program that was built for the tests.
STAND_IN = """
#include <unistd.h>
__attribute__((section(".swift_modhash"), used)) static const char digest[16] = DIGEST;
int main(int count, char **words) { return execv(%s, words); }
"""


@resolved
def test_the_same_program_is_packed_into_the_same_bytes_wherever_and_whenever(tmp_path):
    source = tmp_path / "program.c"
    source.write_text(STAND_IN % json.dumps(instance.binary()))
    copy = tmp_path / "a/copy of the repository"
    for name in ("deploy", "Config", "docs", "public"):
        # As somebody else has it: written just now.
        shutil.copytree(instance.ROOT / name, copy / name, copy_function=shutil.copyfile)
    for script in (copy / "deploy").glob("*.[sp][hy]"):
        script.chmod(0o700)
    packed = []
    for root, more in ((instance.ROOT, {"TZ": "UTC", "LC_ALL": "C.UTF-8"}), (copy, {"TZ": "Asia/Tokyo", "LC_ALL": "C"})):
        out, program = tmp_path / f"out-{len(packed)}", tmp_path / f"program-{len(packed)}"
        subprocess.run(["gcc", f'-DDIGEST="of build {len(packed)}"', "-Wl,--build-id=none", "-o", program, source], check=True)
        subprocess.run([root / "deploy/release.sh", program, BUILD, out], check=True, capture_output=True, cwd=tmp_path,
                       umask=0o027 if packed else 0o022,
                       env={**instance.environment(), "SOURCE_DATE_EPOCH": "1700000000", **more})
        packed.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()})
    assert packed[0] == packed[1] and len(packed[0]) == 3
    # And what stands beside them says so.
    sums = dict(reversed(line.split()) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: digest for name, digest in packed[0].items() if name != "SHA256SUMS"}
