#!/usr/bin/env python3
"""The manual pages, made of what the program says of itself, so that nothing is written twice.

    deploy/manual.py BINARY FOLDER       # writes drawbridge.1 and drawbridge.yaml.5 there

`drawbridge --experimental-dump-help` is the command line's own help as JSON, `drawbridge check-config --describe` the
declarations of all settings. The pages have no date, so that the same program gives the same pages.
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def escaped(text: str) -> str:
    """As roff takes it: no line begins a request, no backslash an escape, and dashes can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.MULTILINE)


def prose(text: str) -> list[str]:
    """Paragraphs filled by the reader's terminal, and lines that are indented as they are."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines.append(".PP")
        literal = False
        for line in paragraph.split("\n"):
            if line.startswith("  ") != literal:
                literal = not literal
                lines.append(".RS 2\n.nf" if literal else ".fi\n.RE")
            lines.append(escaped(line.removeprefix("  ")))
        if literal:
            lines.append(".fi\n.RE")
    return lines


def head(name: str, section: int, version: str, purpose: str) -> list[str]:
    return [f'.TH "{name}" "{section}" "" "drawbridge {version}"', ".SH NAME",
            f"{escaped(name)} \\- {escaped(purpose.rstrip('.'))}"]


def names(argument: dict) -> str:
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"
    words = ["\\fB" + escaped(("--" if name["kind"] == "long" else "-") + name["name"]) + "\\fR" for name in argument["names"]]
    value = f" \\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return ", ".join(words) + value


def command(node: dict, path: list[str], above: set[str]) -> list[str]:
    """One command after its abstract: what it says, its options, then those below it."""
    lines = [f'.SS "{escaped(" ".join(path))}"', escaped(node.get("abstract", ""))] if len(path) > 1 else []
    if len(path) > 1 and node.get("discussion"):
        lines += prose(node["discussion"])
    for argument in node.get("arguments", []):
        key = names(argument)
        if not argument["shouldDisplay"] or key in above:
            continue
        told = argument.get("abstract", "")
        if argument.get("defaultValue"):
            told = f"{told} Default: {argument['defaultValue']}.".strip()
        lines += [".TP", key, escaped(told)]
    for below in node.get("subcommands", []):
        if below.get("shouldDisplay", True) and below["commandName"] != "help":
            lines += command(below, [*path, below["commandName"]], above)
    return lines


def commands_page(help_of_all: dict, version: str) -> str:
    root = help_of_all["command"]
    #: In every command; told once.
    everywhere = {names(argument) for argument in root.get("arguments", [])}
    lines = head("drawbridge", 1, version, root["abstract"])
    lines += [".SH SYNOPSIS", "\\fBdrawbridge\\fR \\fIcommand\\fR [\\fIoption\\fR ...]", ".SH DESCRIPTION",
              *prose(root.get("discussion", ""))]
    lines += [".SH OPTIONS", "Of every command:", *command({**root, "subcommands": []}, ["drawbridge"], set())]
    lines += [".SH COMMANDS", *command({**root, "arguments": []}, ["drawbridge"], everywhere)]
    lines += [".SH EXIT STATUS", ".TP", "0", "Done.", ".TP", "1", "Not done; standard error says why.", ".TP", "64",
              "The command line was not understood.", ".TP", "78", "The settings are not accepted; all problems are listed."]
    lines += [".SH SEE ALSO", "\\fBdrawbridge.yaml\\fR(5)"]
    return "\n".join(lines) + "\n"


def settings_page(settings: list[dict], version: str) -> str:
    lines = head("drawbridge.yaml", 5, version, "settings of drawbridge")
    lines += [".SH DESCRIPTION", *prose(
        "A YAML file. A name with dots is nested: a.b is the key b of the object a. Each setting is looked for on the "
        "command line, in the environment, in the folder of secret files, in this file; then its default holds. Unknown "
        "keys and malformed values stop the start, all of them told at once.\n\n"
        "  drawbridge check-config --config /etc/drawbridge/drawbridge.yaml"), ".SH SETTINGS"]
    for setting in settings:
        facts = [f"Must be {setting['expectation']}."]
        if setting["required"]:
            facts.append("Required.")
        if setting["default"]:
            facts.append(f"Default: {setting['default']}.")
        lines += [".TP", f"\\fB{escaped(setting['name'])}\\fR", escaped(setting["summary"]), ".br", escaped(" ".join(facts))]
        if setting["flag"]:
            lines += [".br", escaped(f"{setting['flag']}, {setting['variable']}")]
    lines += [".SH FILES", ".TP", "/etc/drawbridge/drawbridge.yaml", "Where the unit looks for it.", ".TP",
              "/usr/share/doc/drawbridge/drawbridge.example.yaml", "Every setting, with examples."]
    lines += [".SH SEE ALSO", "\\fBdrawbridge\\fR(1)"]
    return "\n".join(lines) + "\n"


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])

    def ask(*words: str) -> str:
        return subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout

    version = ask("--version").strip()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "drawbridge.1").write_text(commands_page(json.loads(ask("--experimental-dump-help")), version))
    (folder / "drawbridge.yaml.5").write_text(settings_page(json.loads(ask("check-config", "--describe")), version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
