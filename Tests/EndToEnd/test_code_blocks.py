"""Every block of code in the documents: settings are accepted, commands exist, programs are programs.

What a block does when it runs is tried by the tests of its page; here none is left out, and none is out of date in its
words."""

import json
import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml

import instance
import wire
from apache import LOADED, MODULES
from servers import Nginx

ROOT = instance.ROOT
PAGES = sorted({ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"),
                *(ROOT / "clients").rglob("README.md")})
#: Pictures, and what programs print or send.
NO_CODE = {"mermaid", "text", "http"}
#: Blocks that only another test can compile, since they need what stands around them there.
ELSEWHERE = {
    ("README.md", "swift"): "test_the_apple_parts_of_the_swift_library_fit_the_signatures_that_they_use",
    ("README.md", "kotlin"): "test_kotlins_face_signs_in_opens_pages_and_signs_out_at_the_real_server",
    ("clients/jvm/README.md", "kotlin"): "test_kotlins_face_signs_in_opens_pages_and_signs_out_at_the_real_server",
    ("clients/jvm/README.md", "java"): "test_the_java_of_the_page_compiles_and_lands",
    ("clients/swift/README.md", "swift"): "test_the_swift_of_a_page_is_what_is_compiled_elsewhere",
    ("docs/apps.md", "swift"): "test_the_swift_of_a_page_is_what_is_compiled_elsewhere",
    ("docs/middleware.md", "go"): "test_the_middlewares_block_for_go_lets_a_visitor_in",
    ("docs/middleware.md", "java"): "test_the_middlewares_block_for_java_compiles",
}
#: What stands around Swift that shows one call.
AROUND = {
    "docs/cross-device.md": ("""
import DrawbridgeClient

func show(_ asking: AskingBrowser) async -> ApprovalDecision { .decline }

func page(_ drawbridge: Drawbridge, scanned: String) async throws {
""", "_ = digits\n}\n"),
    "docs/phone.md": ("""
import Foundation
import SelfIssuedIdP

func page(
    transport: any WebsiteTransport, folder: URL, pin: Redacted<String>, sheet: any ConsentAsker, bytes: [UInt8], link: String,
    open: (String) -> Void
) async throws {
""", "}\n"),
}


def found() -> list[tuple[str, str, str, int]]:
    """Page, language, text and line of each block."""
    out = []
    for path in PAGES:
        text = path.read_text()
        for block in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.M | re.S):
            plain = re.sub(rf"^{block[1]}", "", block[3], flags=re.M)
            out.append((str(path.relative_to(ROOT)), block[2], plain, text.count("\n", 0, block.start()) + 1))
    return out


BLOCKS = found()


def of(*languages: str):
    chosen = [block for block in BLOCKS if block[1] in languages]
    assert chosen, languages
    return pytest.mark.parametrize(
        "page, text", [pytest.param(page, text, id=f"{page}:{line}") for page, _, text, line in chosen])


def run(*command, stdin: str | None = None, **more) -> str:
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_no_block_is_of_a_language_that_nothing_tries():
    tried = {"sh", "console", "", "yaml", "json", "python", "php", "js", "nginx", "apache"} | NO_CODE
    left = {(page, language) for page, language, _, _ in BLOCKS if language not in tried}
    assert len(BLOCKS) > 120
    assert left == set(ELSEWHERE) | {(page, "swift") for page in AROUND}
    sources = "\n".join(path.read_text() for path in (ROOT / "Tests" / "EndToEnd").glob("test_*.py"))
    assert [name for name in ELSEWHERE.values() if f"def {name}(" not in sources] == []


# Settings

@cache
def settings() -> set[str]:
    said = instance.run("check-config", "--describe").stdout
    return {entry["name"].split(".")[0] for entry in json.loads(said)}


def as_settings(document) -> dict:
    """A fragment of a settings file as a file: a list of clients, or members of one client, is meant by its page."""
    if isinstance(document, list):
        return {"clients": document}
    if {"image", "settings"} <= set(document):  # values of the Helm chart
        return document["settings"]
    if set(document) & settings():
        return document
    return {"clients": [{"client_id": "www", "client_type": "web", "return_paths": ["/"], "default_return_path": "/",
                         **document}]}


@of("yaml")
def test_settings_are_accepted(page, text, tmp_path):
    file = tmp_path / "drawbridge.yaml"
    document = as_settings(yaml.safe_load(text))
    file.write_text(yaml.safe_dump({"public_origin": "https://www.example.com", "data_directory": str(tmp_path), **document}))
    done = subprocess.run([instance.binary(), "check-config", "--config", file], capture_output=True, text=True,
                          env=instance.environment())
    problems = [line for line in done.stderr.splitlines() if line.startswith("  - ")]
    # What stands for something of the reader's own: their files, and the digest of their secret.
    meant = re.compile(r"does not exist(: write the secret there, mode 0600)?$|no such file or directory$|"
                       r"must be the base64url of a SHA-256 digest$")
    assert [line for line in problems if not meant.search(line)] == []
    assert problems or done.returncode == 0, done.stderr


# Commands

@cache
def help_of(program: str) -> dict:
    path = Path(instance.binary()).with_name(program)
    return json.loads(run(path, "--experimental-dump-help", env=instance.environment()))["command"]


def commands(text: str):
    """Words of each call of ours in a shell's lines."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        for part in re.split(r"[|;&()]|\$\(|<<", line.split(" #")[0]):
            try:
                words = shlex.split(part)
            except ValueError:  # What is quoted holds one of the signs that part commands.
                words = part.split()
            while words and (re.fullmatch(r"\w+=\S*|sudo|exec|\$|-u|drawbridge-user", words[0])):
                words.pop(0)
            if words and re.fullmatch(r"(?:\S*/)?drawbridge(?:-app|-phone)?", words[0]):
                yield words[0].rsplit("/", 1)[-1], words[1:]


def faults(program: str, words: list[str]) -> list[str]:
    command, found = help_of(program), []
    rest = list(words)
    while rest and (inner := {it["commandName"]: it for it in command.get("subcommands", [])}):
        if rest[0].startswith("-"):
            break
        if rest[0] not in inner:
            return [f"{program} has no command {rest[0]}"]
        command = inner[rest.pop(0)]
    known = {f"{'--' if name['kind'] == 'long' else '-'}{name['name']}"
             for argument in command.get("arguments", [])
             for name in argument.get("names", [])} | {"--version", "--help", "-h", "--generate-completion-script"}
    for word in rest:
        option = re.match(r"-{1,2}[A-Za-z][\w-]*", word)
        if option and word[0] == "-" and option[0] not in known:
            found.append(f"{program} {command['commandName']} has no {option[0]}")
    return found


@of("sh", "console", "")
def test_commands_are_there_and_shells_read_them(page, text):
    typed = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    lines = "\n".join(typed) if typed else text
    calls = list(commands(lines))
    assert [fault for call in calls for fault in faults(*call)] == []
    if calls and not re.search(r"^\s*drawbridge demo \[", lines, re.M):
        run("bash", "-n", stdin=lines)


def test_a_command_or_option_that_is_not_there_is_found():
    assert faults("drawbridge", ["users", "lift"]) == ["drawbridge has no command lift"]
    assert faults("drawbridge", ["users", "list", "--all"]) == ["drawbridge list has no --all"]
    assert list(commands("A=1 sudo drawbridge users \\\n  list | head")) == [("drawbridge", ["users", "list"])]


# Programs

@of("json")
def test_json_is_json(page, text):
    assert json_values(text) != []


def json_values(text: str) -> list:
    """One value, or one a line; `…` stands for more of the same."""
    text = text.replace(", …", "")
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


@of("python")
def test_python_compiles(page, text):
    compile(text, page, "exec")


@of("php")
def test_php_has_no_fault_of_syntax(page, text):
    run("php", "-l", stdin=text if text.startswith("<?php") else f"<?php\n{text}")


@of("js")
def test_javascript_has_no_fault_of_syntax(page, text, tmp_path):
    (tmp_path / "page.mjs").write_text(text)
    run("node", "--check", tmp_path / "page.mjs")


#: What a page's block takes from the sample for nginx, as its text says.
MAPS = "".join(re.findall(r"^map .*?^}\n", (ROOT / "deploy/nginx.conf").read_text(), re.M | re.S))


@of("nginx")
def test_nginx_reads_it(page, text, tmp_path):
    shutil.copy("/etc/nginx/fastcgi_params", tmp_path)
    text = text.replace("/var/log/nginx", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(f"""
pid {tmp_path}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    {MAPS}
    server {{
        listen 127.0.0.1:{instance.free_port()};
        {text}
    }}
}}
""")
    run("nginx", "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf")


#: Routes that the README's block for one origin leaves to the site, as its comment says.
OF_THE_SITE = {"/", "/favicon.ico", "/auth/check"}


def test_the_readmes_nginx_leads_to_drawbridge_whatever_is_drawbridges_at_an_origin_that_is_its_only_one(serve):
    """A page that is left out is answered by the site, which then sees what was meant for the provider or the console."""
    [text] = [text for page, language, text, _ in BLOCKS
              if (page, language) == ("README.md", "nginx") and "Drawbridge's own pages" in text]
    port = instance.free_port()
    node = serve("sign_in_url: /sign-in\ntrusted_proxies: [127.0.0.1]\n", origin=f"http://127.0.0.1:{port}")
    text = (text.replace("127.0.0.1:8080", f"127.0.0.1:{node.port}").replace("/var/log/nginx/", "")
            .replace("include fastcgi_params", "include /etc/nginx/fastcgi_params"))
    routes = {re.sub(r"\{\w+\}", "a", path) for path in yaml.safe_load((ROOT / "Config/openapi.yaml").read_text())["paths"]}
    assert (shipped := r"^www\.example\.com(:443)?$") in MAPS
    maps = MAPS.replace(shipped, rf"^127\.0\.0\.1:{port}$")
    with Nginx(f"{maps}\nserver {{\nlisten 127.0.0.1:{port};\n{text}\n}}\n", port) as nginx:
        answers = {path: wire.send(f"http://127.0.0.1:{port}", "OPTIONS", path) for path in routes}
        elsewhere = wire.send(f"http://127.0.0.1:{port}", "GET", "/login-with-token?token=kept", {"Host": "www.other.example"})
        assert elsewhere.status == 421 and "token=kept" not in nginx.log
    # The site's pages are behind the check: their answer here is nginx's own.
    assert {path for path, answer in answers.items() if answer.header("X-Request-Id") is None} == OF_THE_SITE
    assert len(routes) > 120


@of("apache")
def test_apache_reads_it(page, text, tmp_path):
    modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)
    # A secret that the reader puts there.
    text = text.replace("…", "a-secret-of-the-reader")
    (tmp_path / "apache.conf").write_text(f"""
ServerName shop.example.com
ServerRoot {tmp_path}
DefaultRuntimeDir {tmp_path}
PidFile {tmp_path}/apache.pid
ErrorLog {tmp_path}/error.log
Listen 127.0.0.1:{instance.free_port()}
{modules}
{text}
""")
    run("apache2", "-t", "-f", tmp_path / "apache.conf")


@pytest.mark.parametrize("page", sorted(AROUND))
def test_swift_that_shows_a_call_fits_its_library(page, tmp_path):
    [text] = [text for name, language, text, _ in BLOCKS if (name, language) == (page, "swift")]
    before, after = AROUND[page]
    lines = [line for line in text.splitlines() if not line.startswith("import ")]
    (tmp_path / "Page.swift").write_text(before + "\n".join(lines) + "\n" + after)
    run("swiftc", "-typecheck", "-swift-version", "6", "-I", ROOT / ".build/debug/Modules", tmp_path / "Page.swift")
