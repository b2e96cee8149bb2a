"""What the pages for developers show is true: each first block lands signed in, the others run or compile, and the
tables name what is there."""

import contextlib
import io
import json
import os
import re
import secrets
import socket
import subprocess
from pathlib import Path

import pytest

import instance
import wire
from drawbridge_client import Drawbridge
from instance import type_code
from libraries import HANGS, JAVA, LIBRARIES, loopback_browser, redeemed_as, run
from servers import Server
from sites import JAKARTA, JARS, SITES

CLIENTS, MIDDLEWARE = instance.ROOT / "clients", instance.ROOT / "middleware"
INDEX = (instance.ROOT / "docs/client-libraries.md").read_text()
PAGES = {name: f"clients/{name}/README.md" for name in ["swift", "js", "python", "jvm"]}
LANGUAGES = [("swift", "swift"), ("js", "js"), ("python", "python"), ("jvm", "java"), ("jvm", "kotlin")]
#: As many lines of an app's own code as it may take to the first landing.
MOST = 15


def blocks(page: str, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", (instance.ROOT / page).read_text(), re.M | re.S)
    assert found, (page, language)
    return found


@pytest.mark.parametrize("library, language", LANGUAGES)
def test_every_block_of_a_librarys_page_is_short(library, language):
    assert all(len(block.strip().splitlines()) <= MOST for block in blocks(PAGES[library], language))


def test_pythons_page_lands_with_a_bearer_and_by_a_sign_in(demo, tmp_path, monkeypatch):
    opened = []
    first, second, _ = (block.replace("https://www.example.com", demo.base).replace("https://id.example.com", demo.base)
                        for block in blocks(PAGES["python"], "python"))
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    exec(first, {"token_of_my_backend": demo.bearer("bob")})
    assert redeemed_as(demo, opened.pop()) == demo.user("bob")["sub"]

    monkeypatch.setattr("drawbridge_client.LoopbackBrowser", lambda: loopback_browser(demo))
    monkeypatch.setattr("drawbridge_client.open_in_browser", lambda link: opened.append(redeemed_as(demo, link.url)))
    exec(second.replace("desktop-app", "demo-app").replace("~/.config/my-app", str(tmp_path)), {})
    assert opened == [demo.user("alice")["sub"]]


def desktop(folder: Path) -> Path:
    """A command there with the name of the system's that opens a browser; the file that it writes the address to."""
    command, opened = folder / "desktop/xdg-open", folder / "desktop/opened"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nprintf %s \"$1\" > '{opened}'\n")
    command.chmod(0o755)
    return opened


def on_desktop(folder: Path) -> list[str]:
    return ["env", f"PATH={folder}/desktop:{os.environ['PATH']}"]


def test_the_javascript_of_the_page_lands_with_a_bearer_and_by_a_sign_in(demo, tmp_path):
    """As it stands there, but for the addresses, and with a command in the place of the system's that opens a browser."""
    modules = tmp_path / "node_modules/@drawbridge"
    modules.mkdir(parents=True)
    # By its name, as an app has it: what the package says of its files is tried as well.
    (modules / "client").symlink_to(CLIENTS / "js")
    helpers = (CLIENTS / "js/test/person.mjs").as_uri()
    facts = json.dumps({**demo.facts, "base_url": demo.base})
    first, second, _ = (block.replace("https://www.example.com", demo.base).replace("https://id.example.com", demo.base)
                        for block in blocks(PAGES["js"], "js"))
    prelude = f"""
import {{ backendBearer, Person }} from {json.dumps(helpers)};
const demo = {facts};
const person = new Person(demo, "alice");
"""
    opened = desktop(tmp_path)
    report = f"""
await person.get((await import("node:fs")).readFileSync({json.dumps(str(opened))}, "utf8"));
console.log(JSON.stringify(await (await person.get("/session")).json()));
"""
    (tmp_path / "first.mjs").write_text(
        prelude + "const backend = { token: async () => backendBearer(demo, 'bob') };\n" + first
        + "await openContacts();\n" + report)
    bob, alice = (demo.user(name)["sub"] for name in ["bob", "alice"])
    assert json.loads(run([*on_desktop(tmp_path), "node", str(tmp_path / "first.mjs")]).splitlines()[-1])["sub"] == bob

    # The page's browser, shown to a person in place of the desktop.
    shown = ("loopbackBrowser({ open: async (address) => "
             "void (await fetch(await new Person(demo, 'alice').go(address))) })")
    assert "loopbackBrowser()" in second and "desktop-app" in second
    (tmp_path / "second.mjs").write_text(
        prelude + f"const secretsFile = {json.dumps(str(tmp_path / 'secrets.json'))};\n"
        + second.replace("loopbackBrowser()", shown).replace("desktop-app", "demo-app") + report)
    assert json.loads(run([*on_desktop(tmp_path), "node", str(tmp_path / "second.mjs")]).splitlines()[-1])["sub"] == alice


def test_the_java_of_the_page_compiles_and_lands(demo, jvm_classes, tmp_path):
    first, second, _ = blocks(PAGES["jvm"], "java")
    # The second has names of the first; each is a method's whole work here.
    (tmp_path / "Page.java").write_text(f"""
import drawbridge.client.*;
public final class Page {{
    static LoginLink first(String tokenOfMyBackend) throws DrawbridgeException {{
{first.replace("https://www.example.com", demo.base)}
        return link;
    }}
    static LoginLink second(Store store, Browser browser, WebView webView) throws DrawbridgeException {{
{second}
        return link;
    }}
    public static void main(String[] arguments) throws DrawbridgeException {{
        System.out.println(first(arguments[0]).url());
    }}
}}
""")
    done = subprocess.run(
        ["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-cp", jvm_classes, "-d", tmp_path,
         tmp_path / "Page.java"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    url = run([*JAVA, f"{tmp_path}:{jvm_classes}", "Page", demo.bearer("bob")]).strip()
    assert redeemed_as(demo, url) == demo.user("bob")["sub"]


def opens_by_what_is_shown(server, url: str, shown: str, printed: str):
    """The page that the link opens takes the digits that the app shows, which are neither in the link nor in a log of it."""
    [code] = re.findall(r"\b[0-9]{6}\b", shown)
    assert code not in url and code not in printed
    page = server.send("GET", url.removeprefix(server.base), wire.NAVIGATION)
    assert page.status == 200 and not page.session_cookie
    assert type_code(server, page, code).session_cookie


def test_pythons_page_shows_the_code_of_a_website_that_asks_for_one(serve, capsys):
    server = serve(website="redeem: code")
    names = {"drawbridge": Drawbridge(server.base), "token_of_my_backend": server.bearer(),
             "open_in_browser": lambda link: None}
    exec(blocks(PAGES["python"], "python")[2], names)
    link = names["link"]
    opens_by_what_is_shown(server, link.url, capsys.readouterr().out, f"{link} {link!r}")


def test_the_javascript_of_the_page_shows_the_code_of_a_website_that_asks_for_one(serve, tmp_path):
    server = serve(website="redeem: code")
    (tmp_path / "third.mjs").write_text(f"""
import {{ inspect }} from "node:util";
import {{ Drawbridge }} from {json.dumps((CLIENTS / "js/drawbridge.mjs").as_uri())};
import {{ openInBrowser }} from {json.dumps((CLIENTS / "js/node.mjs").as_uri())};
const drawbridge = new Drawbridge({{ issuer: {json.dumps(server.base)} }});
const bearer = {json.dumps(server.bearer())};
let shown;
const show = (text) => {{ shown = text; }};
{blocks(PAGES["js"], "js")[2]}
const printed = inspect(link, {{ depth: 9, showHidden: true }}) + String(link) + JSON.stringify(link);
console.log(JSON.stringify([shown, printed]));
""")
    opened = desktop(tmp_path)
    said = json.loads(run([*on_desktop(tmp_path), "node", str(tmp_path / "third.mjs")]).splitlines()[-1])
    opens_by_what_is_shown(server, opened.read_text(), *said)


def test_the_java_of_the_page_shows_the_code_of_a_website_that_asks_for_one(serve, jvm_classes, tmp_path):
    server = serve(website="redeem: code")
    (tmp_path / "Code.java").write_text(f"""
import drawbridge.client.*;
import java.util.function.Consumer;
public final class Code {{
    public static void main(String[] arguments) throws DrawbridgeException {{
        Drawbridge drawbridge = new Drawbridge(new Settings(arguments[0]));
        String tokenOfMyBackend = arguments[1];
        Consumer<String> browser = System.out::println;
        Consumer<String> screen = System.out::println;
{blocks(PAGES["jvm"], "java")[2]}
        System.out.println(link);
    }}
}}
""")
    done = subprocess.run(
        ["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-cp", jvm_classes, "-d", tmp_path,
         tmp_path / "Code.java"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = run([*JAVA, f"{tmp_path}:{jvm_classes}", "Code", server.base, server.bearer()])
    opens_by_what_is_shown(server, *said.splitlines())


@pytest.mark.parametrize("page, sources", [
    (PAGES["swift"],
     ["Tests/DrawbridgeClientTests/DocumentedUseTests.swift", "clients/swift/StandIns/Uses/ContactsButton.swift",
                      "Tests/DrawbridgeClientTests/DocumentedUseTests.swift"]),
    ("docs/apps.md", ["clients/swift/StandIns/Uses/AppsPage.swift"] * 2)])
def test_the_swift_of_a_page_is_what_is_compiled_elsewhere(page, sources):
    """The first by the library's tests, what needs Apple's frameworks against stand-ins (StandIns/check)."""
    for block, path in zip(blocks(page, "swift"), sources, strict=True):
        source = (instance.ROOT / path).read_text()
        lines = [line for line in block.splitlines() if line.strip() and not line.startswith("import ")]
        assert " ".join(" ".join(lines).split()) in " ".join(source.split()), block


# docs/client-libraries.md


def rows(text: str, heading: str) -> list[list[str]]:
    """Of the first table below the heading, without the line below its own heading."""
    table = next(part for part in text.split(heading, 1)[1].split("\n\n") if part.lstrip().startswith("|"))
    lines = table.strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]


def test_every_name_in_the_table_of_what_libraries_have_is_in_the_library():
    header, *lines = rows(INDEX, "## Which library has what")
    folders = {"Swift": ["swift/Sources"], "JavaScript": ["js"], "Python": ["python/drawbridge_client"],
               "Java, Kotlin": ["jvm/src", "jvm/kotlin", "jvm/android"]}
    assert header[1:] == list(folders) and len(lines) > 12
    for column, parts in enumerate(folders.values(), 1):
        kinds = {".swift", ".mjs", ".py", ".java", ".kt"}
        files = [path for part in parts for path in (CLIENTS / part).rglob("*.*") if path.suffix in kinds]
        source = "\n".join(path.read_text() for path in files if "test" not in path.parts)
        for line in lines:
            assert line[column], line
            for name in re.findall(r"`([^`]+)`", line[column]):
                assert re.search(rf"\b{re.escape(name)}\b", source), (line[0], name)


def test_the_table_of_pairs_has_those_that_are_tried_and_no_other():
    header, *lines = rows(INDEX, "## End to end")
    assert [name.strip("`") for name in header[1:]] == SITES
    assert {line[0].strip("`"): line[1:] for line in lines} == {library: ["signed in"] * len(SITES) for library in LIBRARIES}


def version_in(path: str, pattern: str) -> str:
    return re.search(pattern, (instance.ROOT / path).read_text())[1]


def test_the_versions_of_the_tables_are_those_of_the_packages():
    json_version, toml = r'"version": "([^"]+)"', r'version = "([^"]+)"'
    constant = r'(?:VERSION|Version|version) = "([^"]+)"'
    shown = {line[2].split("](")[0].strip("["): line[3] for line in rows(INDEX, "# Client libraries")[1:]}
    assert shown == {
        "clients/swift": version_in("clients/swift/Sources/DrawbridgeClient/SignIn/Drawbridge.swift", constant),
        "clients/js": version_in("clients/js/package.json", json_version),
        "clients/python": version_in("clients/python/pyproject.toml", toml),
        "clients/jvm": version_in("clients/jvm/src/drawbridge/client/Drawbridge.java", constant)}
    shown = {line[1].split("](")[0].strip("["): line[3] for line in rows(MIDDLEWARE_PAGE, "# Middleware")[1:]}
    assert shown == {
        "middleware/python": version_in("middleware/python/pyproject.toml", toml),
        "middleware/php": version_in("middleware/php/composer.json", json_version),
        "middleware/node": version_in("middleware/node/package.json", json_version),
        "middleware/go": version_in("middleware/go/site.go", constant),
        "middleware/java": version_in("middleware/java/src/drawbridge/site/Site.java", constant)}
    for package in ["clients/python/drawbridge_client", "middleware/python/drawbridge_site"]:
        said = version_in(f"{package}/__init__.py", r'__version__ = "([^"]+)"')
        assert said == version_in(f"{package}/../pyproject.toml", toml)


# docs/middleware.md: each block lets a visitor in by what Drawbridge says of their session

MIDDLEWARE_PAGE = (instance.ROOT / "docs/middleware.md").read_text()


def own_block(language: str, demo) -> str:
    [block] = re.findall(rf"^```{language}\n(.*?)^```", MIDDLEWARE_PAGE.split("## Where the user")[0], re.M | re.S)
    return block.replace("https://www.example.com", demo.base)


def told_block(language: str, demo, source: str, template: str) -> str:
    """With the settings that the language's receivers need."""
    settings = template.format(demo.facts["issuer"], secrets.token_hex(16))
    return own_block(language, demo).replace(source, f"{source}, {settings}")


def notice_block(language: str) -> str:
    """How the language's middleware is told."""
    [block] = re.findall(rf"^```{language}\n(.*?)^```", MIDDLEWARE_PAGE.split("## Being told")[1], re.M | re.S)
    return block


def parted(block: str, head: str) -> tuple[str, str]:
    """The lines that begin so, which stand at the top of a file, and the rest."""
    lines = block.splitlines(keepends=True)
    return "".join(one for one in lines if one.startswith(head)), "".join(one for one in lines if not one.startswith(head))


@pytest.fixture
def alice(demo) -> tuple[str, str]:
    """Her cookie, and what a site calls her."""
    return demo.sign_in("alice"), demo.user("alice")["sub"]


def test_the_middlewares_block_for_python_lets_a_visitor_in(demo, alice, monkeypatch):
    monkeypatch.syspath_prepend(str(MIDDLEWARE / "python"))
    names = {}

    def view(environ, start_response):
        start_response("200 OK", [])
        return [environ[names["USER"]].subject.encode()]

    # Django is the view here.
    names["get_wsgi_application"] = lambda: view
    exec(parted(own_block("python", demo), "from django")[1], names)
    said = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/account", "HTTP_COOKIE": alice[0], "wsgi.input": io.BytesIO()}
    body = names["application"](environ, lambda status, headers: said.append(status))
    assert (said, b"".join(body)) == (["200 OK"], alice[1].encode())


def test_the_middlewares_block_for_php_lets_a_visitor_in(demo, alice, tmp_path):
    tmp_path.chmod(0o700)
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor/autoload.php").write_text(f"<?php require '{MIDDLEWARE}/php/src/Site.php';")
    (tmp_path / "page.php").write_text(f"""<?php
$_SERVER = ['REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/account', 'HTTP_COOKIE' => '{alice[0]}'] + $_SERVER;
{own_block("php", demo).replace("/var/lib/www-drawbridge", str(tmp_path))}
""")
    assert run(["php", str(tmp_path / "page.php")]) == alice[1]


def test_the_middlewares_block_for_node_lets_a_visitor_in(demo, alice, tmp_path):
    """The part of Express that it uses: a list of handlers, each with the next, and `send`."""
    modules = tmp_path / "node_modules"
    (modules / "express").mkdir(parents=True)
    (modules / "drawbridge-site").symlink_to(MIDDLEWARE / "node")
    (modules / "express/package.json").write_text('{"main": "index.mjs"}')
    (modules / "express/index.mjs").write_text(f"""
const request = {{ method: "GET", url: "/account", rawHeaders: ["Cookie", {json.dumps(alice[0])}], socket: {{}} }};
const response = {{ send: (text) => console.log(text) }};
export default () => ({{ get: (path, ...handlers) => {{
    const next = (error) => {{ if (error) throw error; handlers.shift()?.(request, response, next); }};
    next();
}}, post: (path, ...handlers) => {{ if (!handlers.every((one) => typeof one === "function")) throw new Error(path); }} }});
""")
    settings = "issuer: '{}', client_id: 'website', webhook_secrets: ['{}']"
    page = told_block("js", demo, "source: 'session'", settings)
    (tmp_path / "page.mjs").write_text(f"{page}\n{notice_block('js')}")
    assert run(["node", str(tmp_path / "page.mjs")]).strip() == alice[1]


@pytest.fixture
def socket_site(demo, tmp_path):
    """Starts the block for web sockets with a part of the package `ws` that accepts a socket, says one thing, and closes."""
    [block] = re.findall(r"^```js\n(.*?)^```", MIDDLEWARE_PAGE.split("## Web sockets")[1].split("\n## ")[0], re.M | re.S)
    modules = tmp_path / "node_modules"
    (modules / "ws").mkdir(parents=True)
    (modules / "drawbridge-site").symlink_to(MIDDLEWARE / "node")
    (modules / "ws/package.json").write_text('{"main": "index.mjs"}')
    (modules / "ws/index.mjs").write_text("""
export class WebSocketServer {
  handleUpgrade(incoming, socket, head, accepted) {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
    accepted({ send: (text) => socket.end(text) });
  }
}
""")
    started = []

    def start(more: str = "", drawbridge: str = demo.base) -> int:
        port = instance.free_port()
        (tmp_path / "page.mjs").write_text(f"""
import http from 'node:http';
import {{ Site }} from 'drawbridge-site';
const site = new Site({{ source: 'session', origin: '{demo.base}', drawbridge: '{drawbridge}' }});
const server = http.createServer(site.guarded((request, response) => response.end('page')));
const feed = (opened, user) => opened.send(user.subject);
{more}
{block}
server.listen({port}, '127.0.0.1');
""")
        started.append(Server("web-sockets"))
        started[-1].run(["node", str(tmp_path / "page.mjs")])
        instance.wait_until(lambda: instance.listens(port), 60, started[-1].log)
        return port

    yield start
    for server in started:
        server.close()


def handshake(port: int, *headers: str) -> str:
    """What comes back until the connection ends."""
    lines = ["GET /account HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: Upgrade", "Upgrade: websocket",
             "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *headers]
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        with contextlib.suppress(ConnectionResetError):
            return b"".join(iter(lambda: connection.recv(4096), b"")).decode()
    return ""


def test_the_block_for_web_sockets_opens_one_for_a_visitor_of_this_websites_own_page(demo, alice, socket_site):
    port, cookie = socket_site(), f"Cookie: {alice[0]}"
    own = f"Origin: {demo.base}"
    opened = handshake(port, own, cookie)
    assert opened.startswith("HTTP/1.1 101") and opened.endswith(alice[1])
    for status, others in [(401, [own]), (401, [own, "Cookie: __Host-drawbridge_session=made-up"]), (403, [cookie]),
                           (403, ["Origin: https://sibling.example.com", cookie]), (403, ["Origin: null", cookie])]:
        assert handshake(port, *others).startswith(f"HTTP/1.1 {status} "), others


@pytest.mark.parametrize(("fault", "answer"), [
    ({"drawbridge": "http://127.0.0.1:1"}, "HTTP/1.1 503 "),
    ({"more": "site.guard = async () => { throw new Error('of this test'); };"}, ""),
], ids=["Drawbridge is away", "a fault"])
def test_the_block_for_web_sockets_opens_none_when_nobody_can_say_whose_it_is(demo, alice, socket_site, fault, answer):
    port = socket_site(**fault)
    for _ in range(2):
        assert handshake(port, f"Origin: {demo.base}", f"Cookie: {alice[0]}")[:len("HTTP/1.1 503 ")] == answer
    page = wire.send(f"http://127.0.0.1:{port}", "GET", "/", {"Cookie": alice[0]})
    assert page.status in (500, 503), "the website itself goes on"


def test_the_middlewares_block_for_go_lets_a_visitor_in(demo, alice, tmp_path):
    (tmp_path / "go.mod").write_text(
        "module page\n\ngo 1.19\n\nrequire example.com/drawbridge/site v0.0.0\n\n"
        f"replace example.com/drawbridge/site => {MIDDLEWARE / 'go'}\n")
    settings = 'Issuer: "{}", ClientID: "website", WebhookSecrets: []string{{"{}"}}'
    (tmp_path / "main.go").write_text(f"""package main

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"example.com/drawbridge/site"
)

func main() {{
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {{ fmt.Fprint(w, site.From(r).Subject) }})
{told_block("go", demo, "Source: site.Session", settings)}
	if err != nil {{
		panic(err)
	}}
{notice_block("go")}
	request, answer := httptest.NewRequest("GET", "/account", nil), httptest.NewRecorder()
	request.Header.Set("Cookie", {json.dumps(alice[0])})
	http.DefaultServeMux.ServeHTTP(answer, request)
	fmt.Print(answer.Body.String())
}}
""")
    done = subprocess.run(["go", "run", "."], cwd=tmp_path, capture_output=True, text=True, timeout=HANGS,
                          env={**instance.environment(), "GOFLAGS": "-mod=mod", "GOPROXY": "off"})
    assert (done.returncode, done.stdout) == (0, alice[1]), done.stderr


def test_the_middlewares_block_for_java_compiles(demo, built_sites, tmp_path):
    """What a filter does in a servlet container is tried with the example (test_middleware.py)."""
    imports, guarded = parted(own_block("java", demo), "import ")
    (tmp_path / "Page.java").write_text(f"""
{imports}
import java.io.*;
import javax.servlet.ServletException;
import javax.servlet.http.*;
final class Page extends HttpServlet {{
    private static final long serialVersionUID = 1;
    private final transient Site site;
    Page(Site site) {{
        this.site = site;
    }}
    static void page(ServletContextHandler context) {{
{guarded}
    }}
    @Override
{notice_block("java")}
}}
""")
    run(["javac", "--release", "8", "-Xlint:all,-options,-processing", "-Werror", "-cp", f"{built_sites / 'classes'}:{JARS}",
         "-d", str(tmp_path), str(tmp_path / "Page.java")])


def test_the_middlewares_block_for_spring_compiles(built_for_jakarta, tmp_path):
    """Debian has no Spring Boot: what the block uses of it is declared here as Spring declares it."""
    [block] = re.findall(r"^```java\n(.*?)^```", MIDDLEWARE_PAGE.split("## In Spring Boot")[1].split("\n## ")[0], re.M | re.S)
    sources = {
        "org/springframework/context/annotation/Bean": "public @interface Bean {}",
        "org/springframework/boot/web/servlet/ServletRegistrationBean":
            "public class ServletRegistrationBean<T extends jakarta.servlet.Servlet> {}",
        "org/springframework/boot/web/servlet/FilterRegistrationBean": """
import jakarta.servlet.*;
import java.util.EnumSet;
public class FilterRegistrationBean<T extends Filter> {
    public FilterRegistrationBean(T filter, ServletRegistrationBean<?>... servlets) {}
    public void addUrlPatterns(String... patterns) {}
    public void setDispatcherTypes(EnumSet<DispatcherType> types) {}
}
"""}
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        package = name.rsplit("/", 1)[0].replace("/", ".")
        (tmp_path / f"{name}.java").write_text(f"package {package};\n{text}\n")
    (tmp_path / "Pages.java").write_text(f"""
import drawbridge.site.*;
import jakarta.servlet.DispatcherType;
import java.util.*;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
class Pages {{
{block}
}}
""")
    run(["javac", "--release", "17", "-Xlint:all,-options,-processing", "-Werror", "-cp", f"{built_for_jakarta}:{JAKARTA}",
         "-d", str(tmp_path), *(str(tmp_path / f"{name}.java") for name in [*sources, "Pages"])])
