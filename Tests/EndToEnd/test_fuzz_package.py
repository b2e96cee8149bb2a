"""The package that fuzzes the parsers can be built from a clone; building it is `make fuzz`."""

import re
import shutil
import subprocess

import pytest

import instance

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
    for name, rest in re.findall(
            r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"(.*?)(?=\n        \.|\n    \])',
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


def compile_against(built, *arguments) -> str:
    """What the compiler says; modules are those of the tests' own build."""
    maps = [*instance.ROOT.glob(".build/checkouts/*/Sources/**/include/module.modulemap"),
            *instance.ROOT.glob(".build/debug/*.build/module.modulemap")]
    done = subprocess.run(
        ["swiftc", "-package-name", re.sub(r"\W", "_", instance.ROOT.name.lower()), "-enable-testing", "-swift-version", "6",
         "-I", built,
         "-I", instance.ROOT / ".build/debug/Modules", "-I", instance.ROOT / "Sources/CHiredis",
         *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")), *arguments],
        capture_output=True, text=True, timeout=300)
    return "\n".join(line for line in done.stderr.splitlines() if "error:" in line)


def test_the_files_that_it_takes_of_each_module_are_all_that_its_targets_need(package, tmp_path):
    built = tmp_path / "built"
    built.mkdir()
    (fuzz,) = (files for name, (_, _, files) in targets(package).items() if name == "Targets")
    for name, (rest, _, files) in targets(package).items():
        if listed(rest, "sources"):
            assert not compile_against(built, "-parse-as-library", "-module-name", name, "-emit-module",
                                       "-emit-module-path", built / f"{name}.swiftmodule", *files), name
    assert not compile_against(built, "-module-name", "Targets", "-typecheck", *fuzz)
