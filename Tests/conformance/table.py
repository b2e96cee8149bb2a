"""The table of the README: what it says must be what a run found."""

import re
from pathlib import Path

from plans import ELSEWHERE, PLANS
from report import Report

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def text(reports: dict[tuple[str, str], tuple[str, Report]]) -> str:
    """The table of a whole run: module, script, result, and why it is not simply passed."""
    lines = []
    for plan, modules in PLANS.items():
        lines += [f"### {plan}", "", "| module | script | result | note |", "|---|---|---|---|"]
        for module in modules:
            script, report = reports[plan, module]
            lines.append(f"| `{module}` | `{script}` | {report.result} | {report.note} |")
        if plan == "of our own":
            lines += [f"| `{module}` | `{path.rpartition('/')[2]}` | ELSEWHERE | {name} |"
                      for module, (path, name) in ELSEWHERE.items()]
        lines.append("")
    return "\n".join(lines)


def written() -> str:
    return _parts()[1].strip()


def write(table: str):
    before, _, after = _parts()
    README.write_text(f"{before}{BEGIN}\n{table.strip()}\n{END}{after}")


def _parts() -> tuple[str, str, str]:
    found = re.fullmatch(f"(.*){BEGIN}(.*){END}(.*)", README.read_text(), re.S)
    assert found, f"{README} has no place for the table"
    return found.groups()
