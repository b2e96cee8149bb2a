#!/usr/bin/env python3
"""What the program is made of, as a CycloneDX 1.6 document, and the licences of all of it.

    deploy/sbom.py > drawbridge.cdx.json       # after a build: versions are those that were resolved
    deploy/sbom.py --table                     # the table of docs/licences.md
    deploy/sbom.py --image /var/lib/dpkg/status  # the same and every Debian package of an image
    deploy/sbom.py --check                     # is every package's licence the one that was looked at, and its version
                                               # the manifest's?

Reads .build/workspace-state.json and .build/checkouts, which every build leaves behind. The document has no time and no
random number, so that the same packages give the same document.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.parse import quote

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


def asked(manifest: Path) -> dict[str, str]:
    """The exact versions that a manifest names, by package: those of what its packages depend on too."""
    text = re.sub(r"^\s*//.*", "", manifest.read_text(), flags=re.MULTILINE)
    found = re.findall(r'url: "https://github\.com/[\w-]+/([\w.-]+?)(?:\.git)?",\s*exact: "([\w.-]+)"', text)
    return {name.lower(): version for name, version in found}


def problems(build: Path, manifest: Path = ROOT / "Package.swift") -> list[str]:
    """What nobody has looked at, or is no longer what was looked at."""
    found = []
    here = {package["name"]: package for package in packages(build)}
    versions = asked(manifest)
    for name, package in here.items():
        if versions.get(name) != package["version"]:
            found.append(f"{name}: is built in version {package['version']}, the manifest names {versions.get(name, 'none')}")
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


def installed(status: Path) -> list[dict]:
    """The packages of an image, by its dpkg database. Their licences are in the image, in /usr/share/doc."""
    found = []
    for paragraph in status.read_text().strip().split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", paragraph, re.MULTILINE))
        if fields["Status"].endswith(" installed"):
            name, number, architecture = (fields[key] for key in ("Package", "Version", "Architecture"))
            found.append({
                "type": "library", "bom-ref": f"debian/{name}:{architecture}", "name": name, "version": number,
                "purl": f"pkg:deb/debian/{name}@{quote(number, safe='.-~')}?arch={architecture}", "scope": "required"})
    return sorted(found, key=lambda part: part["bom-ref"])


def linked(inside: bool) -> list[dict]:
    """The libraries of Debian that the program is linked with, in the versions of this machine: those that are inside it, or
    those that it finds where it runs."""
    found = []
    for name, known in sorted(LOOKED_AT["system"].items()):
        if known.get("inside", False) == inside:
            number = debian(name)
            found.append({
                "type": "library", "bom-ref": f"debian/{name}", "name": name, "version": number,
                "purl": f"pkg:deb/debian/{name}@{quote(number, safe='.-~')}", "scope": "required",
                "licenses": [{"license": {"name": known["licence"]}}]})
    return found


def toolchain() -> dict:
    """Swift's runtime and Foundation, which are inside the program."""
    done = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True)
    number = re.search(r"swift-[\w.-]+(?=\))", json.loads(done.stdout)["compilerVersion"])[0]
    return {"type": "framework", "bom-ref": "swift", "name": "swift", "version": number,
            "purl": f"pkg:github/swiftlang/swift@{number}", "scope": "required",
            "licenses": [{"license": {"name": LOOKED_AT["toolchain"]["swift"]["licence"]}}]}


def document(build: Path, version: str, image: Path | None = None) -> dict:
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
    components += [toolchain(), *linked(inside=True), *(installed(image) if image else linked(inside=False))]
    program = {"type": "application", "bom-ref": "drawbridge", "name": "drawbridge", "version": version}
    # The same parts, the same number.
    digest = hashlib.sha256(json.dumps(components, sort_keys=True).encode()).digest()
    return {"bomFormat": "CycloneDX", "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
            "version": 1, "metadata": {"component": program}, "components": components,
            "dependencies": [{"ref": "drawbridge", "dependsOn": [
                component["bom-ref"] for component in components if component["scope"] == "required"]}]}


def table() -> str:
    lines = ["| package | licence | part of |", "|---|---|---|"]
    for name, known in sorted(LOOKED_AT["packages"].items()):
        lines.append(f"| {name} | {known['licence']} | {'the tests alone' if known.get('tests_alone') else 'the program'} |")
    lines.append(f"| swift (runtime, Foundation) | {LOOKED_AT['toolchain']['swift']['licence']} | the program |")
    for name, known in sorted(LOOKED_AT["system"].items()):
        where = "the program" if known.get("inside") else "the system it runs on"
        lines.append(f"| {name} (Debian) | {known['licence']} | {where} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / ".build")
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--image", type=Path, metavar="STATUS", help="the dpkg database of the image that it runs in")
    options = parser.parse_args()
    if options.table:
        print(table())
    elif options.check:
        found = problems(options.build)
        print("\n".join(found) or "every licence is the one that was looked at, every version the manifest's")
        return 1 if found else 0
    else:
        print(json.dumps(document(options.build, options.version, options.image), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
