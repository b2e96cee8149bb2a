#!/usr/bin/env python3
"""What the program is made of, as a CycloneDX 1.6 document, and the licences of all of it.

    deploy/sbom.py > drawbridge.cdx.json       # after a build: versions are those that were resolved
    deploy/sbom.py --table                     # the table of docs/licences.md
    deploy/sbom.py --check                     # is every package's licence the one that was looked at?

Reads .build/workspace-state.json and .build/checkouts, which every build leaves behind. The document has no time and no
random number, so that the same packages give the same document.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOOKED_AT = json.loads((Path(__file__).parent / "licences.json").read_text())
#: A line of the licence's text that no other licence has.
MARKS = {
    "Apache-2.0": "Version 2.0, January 2004",
    "MIT": "The above copyright notice and this permission notice shall be included in all copies",
}


def packages(build: Path) -> list[dict]:
    state = json.loads((build / "workspace-state.json").read_text())
    found = []
    for dependency in state["object"]["dependencies"]:
        checkout = dependency["state"]["checkoutState"]
        found.append({"name": dependency["packageRef"]["identity"], "location": dependency["packageRef"]["location"],
                      "version": checkout["version"], "revision": checkout["revision"],
                      "folder": build / "checkouts" / dependency["subpath"]})
    return sorted(found, key=lambda package: package["name"])


def problems(build: Path) -> list[str]:
    """What nobody has looked at, or is no longer what was looked at."""
    found = []
    here = {package["name"]: package for package in packages(build)}
    for name in sorted(here.keys() | LOOKED_AT["packages"].keys()):
        if name not in LOOKED_AT["packages"]:
            found.append(f"{name}: is not in deploy/licences.json")
        elif name not in here:
            found.append(f"{name}: is in deploy/licences.json and in no build")
        else:
            licence = LOOKED_AT["packages"][name]["licence"]
            texts = [path.read_text(errors="replace") for path in here[name]["folder"].glob("LICEN*")]
            if not any(MARKS[licence] in " ".join(text.split()) for text in texts):
                found.append(f"{name}: its licence is not {licence}")
    return found


def debian(name: str) -> str:
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else "as installed"


def document(build: Path, version: str) -> dict:
    components = []
    for package in packages(build):
        known = LOOKED_AT["packages"].get(package["name"], {})
        place = package["location"].removeprefix("https://").removesuffix(".git")
        components.append({
            "type": "library", "bom-ref": package["name"], "name": package["name"], "version": package["version"],
            "purl": f"pkg:swift/{place}@{package['version']}",
            # What only tests are built with is no part of the program.
            "scope": "excluded" if known.get("tests_alone") else "required",
            "licenses": [{"license": {"id": known.get("licence", "unknown")}}],
            "externalReferences": [{"type": "vcs", "url": package["location"], "comment": package["revision"]}]})
    for name, known in sorted(LOOKED_AT["system"].items()):
        number = debian(name)
        components.append({
            "type": "library", "bom-ref": f"debian/{name}", "name": name, "version": number,
            "purl": f"pkg:deb/debian/{name}@{number}", "scope": "required",
            "licenses": [{"license": {"name": known["licence"]}}]})
    program = {"type": "application", "bom-ref": "drawbridge", "name": "drawbridge", "version": version}
    # The same parts, the same number.
    digest = hashlib.sha256(json.dumps(components, sort_keys=True).encode()).digest()
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
            "version": 1, "metadata": {"component": program}, "components": components,
            "dependencies": [{"ref": "drawbridge", "dependsOn": [
                component["bom-ref"] for component in components if component["scope"] == "required"]}]}


def table() -> str:
    lines = ["| package | licence | part of |", "|---|---|---|"]
    for name, known in sorted(LOOKED_AT["packages"].items()):
        lines.append(f"| {name} | {known['licence']} | {'the tests alone' if known.get('tests_alone') else 'the program'} |")
    for name, known in sorted(LOOKED_AT["system"].items()):
        lines.append(f"| {name} (Debian) | {known['licence']} | the system it runs on |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / ".build")
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.table:
        print(table())
    elif options.check:
        found = problems(options.build)
        print("\n".join(found) or "every licence is the one that was looked at")
        return 1 if found else 0
    else:
        print(json.dumps(document(options.build, options.version), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
