"""The package that fuzzes the parsers can be built from a clone; building it is `make fuzz`."""

import re
import shutil
import subprocess

import instance
import pytest

#: Modules that come with Swift.
SWIFTS_OWN = {"Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Synchronization"}


@pytest.fixture
def package(tmp_path):
    """What a clone has of it, linked."""
    for name in ("Sources", "clients/swift/Sources"):
        # Links are not kept in the repository: not every copy of it has them.
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(instance.ROOT / name)
    kept = subprocess.run(["git", "ls-files", "fuzz"], cwd=instance.ROOT, capture_output=True, text=True, check=True).stdout
    for name in kept.split():
        assert not (instance.ROOT / name).is_symlink(), name
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(instance.ROOT / name, tmp_path / name)
    subprocess.run([tmp_path / "fuzz/link"], check=True)
    return tmp_path / "fuzz"


def targets(package) -> dict:
    """What the manifest says of each, and its files."""
    found = {}
    for name, rest in re.findall(r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"(.*?)(?=\n        \.|\n    \])',
                                 (package / "Package.swift").read_text(), re.S):
        path = re.search(r'path: "([^"]+)"', rest)
        folder = package / (path.group(1) if path else f"Sources/{name}")
        excluded = listed(rest, "exclude")
        places = [folder / source for source in listed(rest, "sources") or ["."]]
        files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*.swift"))]
        found[name] = (rest, places, [file for file in files if file.name not in excluded])
    return found


def listed(text: str, name: str) -> list[str]:
    found = re.search(rf"{name}: \[(.*?)\]", text, re.S)
    return re.findall(r'"([^"]+)"', found.group(1)) if found else []



def test_every_folder_that_the_package_names_leads_to_sources(package):
    assert len(targets(package)) > 8
    for name, (_, places, files) in targets(package).items():
        for place in places:
            assert place.exists(), f"{name}: {place}"
        assert files or (places[0] / "module.modulemap").exists(), name


def test_what_its_sources_import_is_what_the_package_gives_them(package):
    for name, (rest, _, files) in targets(package).items():
        given = {*re.findall(r'"(\w+)"', rest), *SWIFTS_OWN}
        for file in files:
            for module in re.findall(r"^(?:@\w+(?:\(.*?\))? )*(?:\w+ )?import (?:(?:struct|class|enum|func) )?(\w+)",
                                     file.read_text(), re.M):
                assert module in given, f"{name}: {file.name} imports {module}"
