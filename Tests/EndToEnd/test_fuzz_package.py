"""The package that fuzzes the parsers can be built from a clone; building it is `make fuzz`."""

import re
import shutil
import subprocess

import instance


def test_every_folder_that_the_package_names_leads_to_sources(tmp_path):
    # Links are not kept in the repository: not every copy of it has them.
    for name in ("Sources", "clients/swift/Sources"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(instance.ROOT / name)
    kept = subprocess.run(["git", "ls-files", "fuzz"], cwd=instance.ROOT, capture_output=True, text=True, check=True).stdout
    for name in kept.split():
        assert not (instance.ROOT / name).is_symlink(), name
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(instance.ROOT / name, tmp_path / name)
    subprocess.run([tmp_path / "fuzz/link"], check=True)
    manifest = (tmp_path / "fuzz/Package.swift").read_text()
    targets = re.findall(r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"(.*?)(?=\n        \.|\n    \])',
                         manifest, re.S)
    assert len(targets) > 8
    for name, rest in targets:
        path = re.search(r'path: "([^"]+)"', rest)
        folder = tmp_path / "fuzz" / (path.group(1) if path else f"Sources/{name}")
        listed = re.search(r"sources: \[(.*?)\]", rest, re.S)
        sources = re.findall(r'"([^"]+)"', listed.group(1)) if listed else ["."]
        for source in sources:
            assert (folder / source).exists(), f"{name}: {folder / source}"
        assert any(folder.rglob("*.swift")) or any(folder.glob("*.modulemap")), name
