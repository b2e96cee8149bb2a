"""A package of JavaScript as it is shipped: what it offers, and the files that belong to it."""

import json
import re
import subprocess
from pathlib import Path

from libraries import HANGS


def described(folder: Path) -> dict:
    return json.loads((folder / "package.json").read_text())


def entries(folder: Path) -> dict[str, Path]:
    """Its entry points by what comes after the package's name in an import."""
    return {name: (folder / files["default"]).resolve() for name, files in described(folder)["exports"].items()}


def shipped(folder: Path) -> set[Path]:
    """The files that `npm pack` puts in: those that package.json lists, and all below a folder that it lists."""
    listed = [folder / name for name in described(folder)["files"]]
    assert all(path.exists() for path in listed), listed
    return {file.resolve() for path in listed for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()}


def imported(file: Path) -> list[str]:
    """What a module imports or exports again."""
    text = file.read_text()
    assert not re.search(r"\bimport\(|\brequire\(", text), file
    return re.findall(r"""^(?:import|export)\b[^;]*?\bfrom ["']([^"']+)["'];|^import ["']""", text, re.M)


def reached(entry: Path) -> tuple[set[Path], set[str]]:
    """All files of the package that an entry point loads, itself among them, and all that it imports of others."""
    files, others, waiting = set(), set(), [entry.resolve()]
    while waiting:
        file = waiting.pop()
        if file in files:
            continue
        files.add(file)
        for name in imported(file):
            if name.startswith("."):
                waiting.append((file.parent / name).resolve())
            else:
                others.add(name)
    return files, others


def exported(module: Path) -> set[str]:
    """The names that a module has for whoever imports it, as Node says."""
    script = f"console.log(JSON.stringify(Object.keys(await import({json.dumps(module.as_uri())}))))"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def declared(types: Path) -> set[str]:
    """Those values among them that have a type."""
    return set(re.findall(r"^export declare (?:const|class|function) (\w+)", types.read_text(), re.M))
