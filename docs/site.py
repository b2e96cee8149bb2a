#!/usr/bin/env python3
"""Makes a static site of the documents, with a search that runs in the reader's browser: `make site`.

    docs/site.py FOLDER

The pages are the Markdown files of the repository, at their own paths, so every link between them holds; what they link to
besides is copied. The order of the menu is that of docs/README.md. A link or an anchor that leads nowhere is an error.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).resolve().parent.parent
#: Pages for who builds the packages that they are in.
PASSED_OVER = re.compile(r"\.docc/|^deploy/debian/")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
STYLE = """
:root { --accent: #2450c8; --on-accent: #fff; }
[data-bs-theme=dark] { --accent: #8fb0ff; --on-accent: #0b1020; }
html, body { background-image: none !important; }
.navbar.bg-primary { background: var(--accent) !important; }
.navbar .nav-link, .navbar .navbar-brand { color: var(--on-accent) !important; }
[role=main] a { color: var(--accent); }
.bs-sidebar .nav > li > a, .bs-sidebar .nav > .active > a { color: var(--accent); }
[role=main] { max-width: 52rem; overflow-wrap: anywhere; }
h1 { font-size: 2rem; font-weight: 650; }
h2 { margin-top: 2.25rem; font-size: 1.5rem; font-weight: 650; }
h3 { margin-top: 1.75rem; font-size: 1.2rem; font-weight: 650; }
:not(pre) > code { border: 0; padding: 0.1em 0.3em; border-radius: 4px; background: var(--bs-secondary-bg); }
pre { border-radius: 8px; }
table { display: block; overflow-x: auto; }
td:last-child { min-width: 14rem; }
"""


def tracked() -> list[str]:
    """The files of the repository, those that are new and not ignored among them."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True)
    return listed.stdout.splitlines()


def slug(heading: str, separator: str) -> str:
    """The anchor that the repository's host gives a heading, so that a link holds at both places."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", separator)


def pages() -> list[str]:
    return [name for name in tracked() if name.endswith(".md") and not PASSED_OVER.search(name)]


def stage(folder: Path):
    """Copies the pages, and what they link to besides."""
    files, named = set(tracked()), set(pages())
    for name in sorted(named):
        def follow(match: re.Match) -> str:
            text, target = match.groups()
            if re.match(r"[a-z]+:|#", target):
                return match.group(0)
            path, _, anchor = target.partition("#")
            found = ((ROOT / name).parent / path).resolve()
            if not found.is_relative_to(ROOT):
                raise SystemExit(f"{name}: {target} is outside of the repository")
            place = found.relative_to(ROOT).as_posix()
            if place in named:
                return match.group(0)
            if f"{place}/README.md" in named:
                return f"[{text}]({path.rstrip('/')}/README.md{'#' + anchor if anchor else ''})"
            if place in files:
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                (folder / place).write_bytes(found.read_bytes())
                return match.group(0)
            if found.is_dir():
                return text
            raise SystemExit(f"{name}: {target} leads nowhere")

        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        # Code is shown as it stands.
        parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", (ROOT / name).read_text(), flags=re.M | re.S)
        copy.write_text("".join(LINK.sub(follow, part) if index % 2 == 0 else part for index, part in enumerate(parts)))
    (folder / "site.css").write_text(STYLE)


def menu() -> list:
    """The sections of docs/README.md, each with the pages of its table."""
    sections: list = [{"Start": "README.md"}]
    for title, body in re.findall(r"^\*\*(.+?)\*\*$(.*?)(?=^\*\*|\Z)", (ROOT / "docs/README.md").read_text(), re.M | re.S):
        entries = []
        for row in re.findall(r"^\| (\[.*?) \|", body, re.M):
            for _, target in LINK.findall(row):
                place = ((ROOT / "docs" / target).resolve()).relative_to(ROOT)
                name = (place / "README.md" if (ROOT / place).is_dir() else place).as_posix()
                heading = re.search(r"^# (.+)$", (ROOT / name).read_text(), re.M)[1]
                entries.append({heading.replace("`", ""): name})
        sections.append({title: entries})
    return sections


def main(out: Path):
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch) / "pages"
        staged.mkdir()
        stage(staged)
        settings = Path(scratch) / "mkdocs.yml"
        settings.write_text("site_name: Drawbridge\n")
        build(load_config(
            str(settings), docs_dir=str(staged), site_dir=str(out), nav=menu(), strict=True,
            # Nothing comes from another host.
            theme={"name": "mkdocs", "highlightjs": False, "color_mode": "auto", "user_color_mode_toggle": True},
            extra_css=["site.css"], plugins=["search"],
            markdown_extensions=[{"toc": {"slugify": slug, "permalink": True}}, "tables", "fenced_code", "sane_lists"],
            validation={"nav": {"omitted_files": "ignore"},
                        "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]).resolve())
