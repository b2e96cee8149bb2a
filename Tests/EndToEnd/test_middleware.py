"""Websites' middleware: each language's own tests over one table of cases, and its example site at the real server."""

import hashlib
import hmac
import json
import re
import secrets
import socket
import subprocess
import sys
import time
import tomllib
from urllib.parse import urlencode

import pytest

import instance
import node_package
import signing
import wire
from admin import admin, reach
from libraries import HANGS
from native import EXCHANGE, LOGIN_TOKEN, App, Browser
from servers import Nginx
from sites import JARS, MIDDLEWARE, NODE_MODULES, PAGE, Site, run

#: Found by every request as the proxy's own; the website refuses what comes without it.
PROXY_SECRET = secrets.token_hex(16)
HOOK_SECRET = secrets.token_hex(32)
TABLE = json.loads((MIDDLEWARE / "cases/cases.json").read_text())
#: As many tests, or more, has each language that plays all of them.
LISTED = sum("id" in case for cases in TABLE.values() if isinstance(cases, list) for case in cases)


# One table, five languages


def test_pythons_own_tests_hold():
    said = run([sys.executable, "-m", "unittest", "discover", "-s", "tests"], MIDDLEWARE / "python")
    assert int(re.search(r"Ran (\d+) tests", said)[1]) > 0 and "\nOK\n" in said, said


def test_nodes_own_tests_hold():
    said = run(["node", "--test", "--test-reporter=tap", "test"], MIDDLEWARE / "node")
    # Of a proxy's address it takes the socket's word alone.
    claimed = sum(bool(case["claimed"]) for case in TABLE["proxies"])
    assert "# fail 0" in said and int(re.search(r"^# pass (\d+)", said, re.M)[1]) >= LISTED - claimed


def test_gos_own_tests_hold(built_sites):
    run(["go", "test", "-count=1", "."], MIDDLEWARE / "go", GOFLAGS="-mod=mod", GOPROXY="off")


def test_phps_own_tests_hold():
    said = run(["php", "tests/cases.php"], MIDDLEWARE / "php")
    assert int(re.search(r"^(\d+) checks, 0 failures", said, re.M)[1]) >= LISTED


def test_javas_own_tests_hold(built_sites):
    said = run(["java", "-XX:TieredStopAtLevel=1", "-cp", built_sites / "classes", "drawbridge.site.Cases",
                MIDDLEWARE / "cases/cases.json"], built_sites)
    assert int(re.search(r"^(\d+) checks, 0 failures", said, re.M)[1]) >= LISTED


def test_javas_filter_for_jakarta_is_the_one_for_javax(built_for_jakarta):
    java = MIDDLEWARE / "java"
    bound = {path.relative_to(java / "src"): path.read_text() for path in (java / "src").rglob("*.java")
             if "javax.servlet" in path.read_text()}
    jakarta = {path.relative_to(java / "jakarta"): path.read_text() for path in (java / "jakarta").rglob("*.java")}
    assert bound and jakarta == {name: text.replace("javax.servlet", "jakarta.servlet") for name, text in bound.items()}
    assert (built_for_jakarta / "drawbridge/site/SiteFilter.class").exists()


def test_javas_json_is_the_same_in_the_middleware_and_the_client_library():
    """Each is copied without the other; what one reads as an object the other must not refuse."""
    own = (MIDDLEWARE / "java/src/drawbridge/json/Json.java").read_text()
    client = (instance.ROOT / "clients/jvm/src/drawbridge/client/Json.java").read_text()
    assert own.startswith("package drawbridge.json;\n") and own.count("\npublic final class Json {\n") == 1
    assert client == own.replace("package drawbridge.json;", "package drawbridge.client;", 1).replace(
        "\npublic final class Json {", "\nfinal class Json {", 1)


def test_nodes_types_fit_strict_programs():
    run(["tsc", "-p", "tsconfig.json"], MIDDLEWARE / "node")


def test_everything_that_nodes_module_exports_has_its_type():
    folder = MIDDLEWARE / "node"
    exported = node_package.exported(folder / "drawbridge-site.mjs")
    assert exported and exported == node_package.declared(folder / "drawbridge-site.d.mts")
    types = (folder / "drawbridge-site.d.mts").read_text()
    # The class that every website has: nothing of it is left out.
    code = (folder / "drawbridge-site/site.mjs").read_text()
    methods = set(re.findall(r"^  (?:async )?(\w+)\(.*\) \{$", code.split("export class Site")[1].split("\n}\n")[0], re.M))
    assert {"guard", "identify", "webhook"} < methods
    assert methods - {"constructor"} <= set(re.findall(r"^    (\w+)[(<]", types.split("class Site")[1], re.M))
    settings = (folder / "drawbridge-site/settings.mjs").read_text().split("const DEFAULTS = {")[1].split("\n};")[0]
    assert {*re.findall(r"(\w+): ", settings), "source", "origin"} == set(
        re.findall(r"^    (\w+)\??: ", types.split("interface Settings {")[1].split("\n}\n")[0], re.M))


def test_nodes_package_holds_what_it_exports_and_pythons_says_that_it_has_types():
    folder = MIDDLEWARE / "node"
    [entry] = node_package.entries(folder).values()
    needed, others = node_package.reached(entry)
    assert node_package.shipped(folder) == needed | {(folder / "drawbridge-site.d.mts").resolve()}
    assert {name for name in others if not name.startswith("node:")} == set()
    # PEP 561.
    data = tomllib.loads((MIDDLEWARE / "python/pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert data == {"drawbridge_site": ["py.typed"]} and (MIDDLEWARE / "python/drawbridge_site/py.typed").is_file()


def test_javas_middleware_tries_every_address_of_drawbridges_host(built_sites):
    hosts = built_sites / "hosts"
    hosts.write_text("127.0.0.2 localhost\n127.0.0.1 localhost\n")
    said = run(["java", f"-Djdk.net.hosts.file={hosts}", "-XX:TieredStopAtLevel=1", "-cp", built_sites / "classes",
                "drawbridge.site.Addresses"], built_sites)
    assert said == "127.0.0.2 127.0.0.1 answered\n"


def test_javas_filter_asks_once_for_a_request_that_servlets_hand_on_and_each_filter_for_its_own_demand(built_sites):
    done = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{built_sites / 'classes'}:{JARS}", "drawbridge.site.Dispatches"],
        capture_output=True, text=True, timeout=HANGS)
    assert done.stdout.splitlines() == [
        "/include: 200 alice.alice. [/session]", "/forward: 200 alice. [/session]", "/async: 200 alice. [/session]",
        '/forward-to-strong: 401 {"error":"insufficient_user_authentication"} [/session, /session, /auth/check]',
        "/leaf: 200 alice. [/session]"], done.stderr


def test_javas_filter_knows_an_address_that_the_container_took_from_the_request(built_sites):
    said = run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{built_sites / 'classes'}:{JARS}",
                "drawbridge.site.ClaimedAddresses"], built_sites)
    assert said.splitlines() == ["a connection's own: false", "by the port 0: true", "by Tomcat's attribute: true"]


# Each example at the real server


@pytest.fixture(scope="module")
def server():
    """An instance of these tests' own: its clients are changed."""
    demo = instance.Demo("--no-limits")
    yield demo
    assert demo.stop() == 0


@pytest.fixture(scope="module", params=["django", "fastapi", "node", "express", "go", "php", "java"])
def language(request) -> str:
    if request.param == "express" and not (NODE_MODULES / "express").exists():
        pytest.skip("needs node-express")
    return request.param


@pytest.fixture
def start(language, built_sites, server):
    """Starts this language's example with a source for its users."""
    started = []

    def start(source: str, **settings) -> Site:
        site = Site(language, built_sites, {"source": source, "origin": server.base, **settings})
        started.append(site)
        return site

    yield start
    for site in started:
        site.close()


def to_sign_in(answer: wire.Answer, target: str) -> bool:
    return (answer.status, answer.header("Location")) == (303, f"/session/sign-in?redirect={target}")


def test_who_came_by_a_link_is_known_by_session_until_he_signs_out(server, start):
    site = start("session")
    assert site.get("/").text == "for everybody"
    assert to_sign_in(site.get("/contacts?a=b"), "%2Fcontacts%3Fa%3Db")
    forged = {"X-Auth-Subject": "bob", "X-Auth-Session": "s"}
    assert to_sign_in(site.get("/contacts", forged), "%2Fcontacts")

    cookie = {"Cookie": server.sign_in("alice")}
    answer = site.get("/contacts", cookie, forged)
    assert (answer.status, answer.text) == (200, f"signed in as {server.user('alice')['sub']}")
    # Drawbridge's own way to the stronger sign-in, and back to this page.
    stronger = site.get("/strong/1", cookie)
    assert stronger.status == 303 and stronger.header("Location").startswith(f"{server.base}/sign-in"), stronger.headers
    assert wire.send(site.base, "GET", "/strong/1", {**cookie, "Accept": "application/json"}).header("WWW-Authenticate") == (
        'Bearer error="insufficient_user_authentication", acr_values="aal9"')

    # What SIGN_OUT_FORM posts from a page of the same origin.
    out = server.send("POST", "/session/logout", {**cookie, "Origin": server.base, "Content-Type": wire.FORM}, b"")
    assert out.status == 303
    assert to_sign_in(site.get("/contacts", cookie), "%2Fcontacts")


def test_a_form_that_came_without_a_sign_in_shows_a_person_the_way_there_and_a_script_json(server, start):
    site = start("session")
    shown, said = (wire.send(site.base, "POST", "/contacts", {**headers, "Content-Type": wire.FORM}, "a=b")
                   for headers in [wire.NAVIGATION, {"Accept": "application/json"}])
    for answer in [shown, said]:
        assert (answer.status, answer.header("WWW-Authenticate")) == (401, "Bearer")
        assert answer.header("Cache-Control") == "no-store"
    assert shown.header("Content-Type").lower().replace("; ", ";") == "text/html;charset=utf-8"
    assert said.json() == {"error": "invalid_token"}
    [way] = re.findall(r'<a href="([^"]+)" target="_blank" rel="noopener">', shown.text)
    there = server.send("GET", way, wire.NAVIGATION)
    assert there.status == 303 and there.header("Location").startswith(f"{server.base}/sign-in"), there.headers


def test_nothing_follows_the_head_of_an_answer_to_head(start):
    """A proxy would read it as the beginning of the next answer, which is another visitor's."""
    site = start("session")
    with socket.create_connection(("127.0.0.1", site.port), timeout=HANGS) as connection:
        connection.sendall(b"HEAD /contacts HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert (head.split()[1], body) == (b"401", b"")


def test_a_web_views_cookie_is_verified_offline_until_a_notice_ends_it(server, language, start):
    name = f"view-{language}-{secrets.token_hex(3)}"
    folder = server.data / "webhook-secrets"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / name).touch(mode=0o600)
    (folder / name).write_text(HOOK_SECRET)
    site = start("cookie", issuer=server.facts["issuer"], client_id=name, cookie="view_access_token",
                 webhook_secrets=[HOOK_SECRET])
    made = admin(server, "POST", "/api/admin/clients", {
        "client_id": name, "client_name": name, "client_type": "web", "token_endpoint_auth_method": "none",
        "delivery": "cookies",
        "cookie_profile": "tokens", "cookie_prefix": "view_", "webhook_uri": f"{site.base}/hooks/drawbridge",
        "webhook_secret_file": name})
    assert made.status == 201, made.text
    # The queue begins when the database knows who has a webhook.
    instance.wait_until(lambda: server.query("SELECT 1 FROM webhook_subscriber WHERE client_id = $1", name), 30,
                        "the subscriber")
    path = "/api/admin/clients/demo-app"
    app_document = admin(server, "GET", path)
    shared = [*app_document.json()["share_with"], name]
    assert admin(server, "PATCH", path, {"share_with": shared}, **{"If-Match": app_document.header("ETag")}).status == 200

    app = App(server)
    app.sign_in()
    view = app.cookies(client_id=name)
    assert view.status == 200, view.text
    token = view.cookies["view_access_token"].value
    cookie = {"Cookie": f"view_access_token={token}"}
    assert site.get("/contacts", cookie).text == f"signed in as {app.user['sub']}"
    # Neither somebody else's token of the same issuer, nor an ID token, nor a token that was changed.
    for other in [app.tokens["access_token"], app.tokens["id_token"], token[:-4] + "AAAA"]:
        assert to_sign_in(site.get("/contacts", {"Cookie": f"view_access_token={other}"}), "%2Fcontacts")

    everything = {"Cookie": wire.cookie_header(view), "Origin": server.base, "Sec-Fetch-Site": "same-origin"}
    assert server.send("POST", "/session/logout", everything).status == 204
    # The token itself has minutes to live; the website heard of the end.
    instance.wait_until(lambda: to_sign_in(site.get("/contacts", cookie), "%2Fcontacts"), 30, "the notice")

    # Led to the sign-in page and back: its cookie is another one, and the token's may be there still (contract §6).
    browser = Browser(server.base)
    browser.jar["view_access_token"] = token
    page = browser.send("GET", browser.send("GET", site.get("/contacts", cookie).header("Location")).header("Location"))
    back = browser.submit(page, "/sign-in", username=app.user["username"], password=app.user["password"])
    assert (back.status, back.header("Location")) == (303, f"{server.base}/contacts")
    opened = back.session_cookie
    for held in [opened, f"view_access_token={token}; {opened}"]:
        assert site.get("/contacts", {"Cookie": held}).text == f"signed in as {app.user['sub']}"

    # A website beside this one plants a second: the session's cookie counts as ever, for a stronger sign-in too.
    two = f"view_access_token={token}; view_access_token=planted"
    assert site.get("/contacts", {"Cookie": f"{two}; {opened}"}).text == f"signed in as {app.user['sub']}"
    stronger = site.get("/strong/1", {"Cookie": f"{two}; {opened}"})
    assert stronger.status == 303 and stronger.header("Location").startswith(f"{server.base}/sign-in"), stronger.headers
    alone = site.get("/contacts", {"Cookie": two})
    assert to_sign_in(alone, "%2Fcontacts")
    assert alone.all("Set-Cookie") == [
        f"view_access_token=; Max-Age=0; Path={path}; Secure; HttpOnly{partitioned}"
        for path in ["/", "/contacts"] for partitioned in ["", "; Partitioned"]]


def forged_notices_do_nothing_and_signed_ones_count_once(site, client_id: str):
    body = json.dumps({"id": "web_session.ended:s-1", "type": "web_session.ended", "client_id": client_id,
                       "sid": "s-1"}).encode()
    now = str(int(time.time()))

    def post(secret: str) -> tuple:
        code = hmac.new(secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
        answer = wire.send(site.base, "POST", "/hooks/drawbridge", {
            "Content-Type": "application/json", "Drawbridge-Webhook-Signature": f"t={now},v1={code}"}, body)
        return answer.status, answer.json()["result"]

    assert post("somebody else's secret, as long as ours is") == (400, "signature")
    assert post(HOOK_SECRET) == (200, "handled")
    assert post(HOOK_SECRET) == (200, "known")


def test_a_website_that_redeemed_by_its_server_hears_the_logout_token(server, language, start):
    name = f"shop-{language}-{secrets.token_hex(3)}"
    site = start("cookie", issuer=server.facts["issuer"], client_id=name, cookie="shop_token", webhook_secrets=[HOOK_SECRET])
    forged_notices_do_nothing_and_signed_ones_count_once(site, name)
    made = admin(server, "POST", "/api/admin/clients", {
        "client_id": name, "client_name": name, "client_type": "web", "return_paths": ["/contacts"],
        "default_return_path": "/contacts", "backchannel_logout_uri": f"{site.base}/hooks/logout"})
    assert made.status == 201, made.text
    reach(server, name)
    redeemed = server.send("POST", "/oauth/token", {"Content-Type": wire.FORM}, urlencode({
        "grant_type": EXCHANGE, "subject_token": server.issue("alice", client_id=name)["token"],
        "subject_token_type": LOGIN_TOKEN, "client_id": name, "client_secret": made.json()["client_secret"]}))
    assert redeemed.status == 200, redeemed.text
    cookie = {"Cookie": f"shop_token={redeemed.json()['access_token']}"}
    assert site.get("/contacts", cookie).text == f"signed in as {server.user('alice')['sub']}"

    session = signing.claims_of(redeemed.json()["access_token"])["sid"]
    assert admin(server, "DELETE", f"/api/admin/sessions/{session}").status == 204
    instance.wait_until(lambda: to_sign_in(site.get("/contacts", cookie), "%2Fcontacts"), 30, "the logout token")


def test_behind_a_proxy_only_its_own_word_counts(server, language, start):
    site = start("proxy", proxy_secret=PROXY_SECRET)
    port = instance.free_port()
    with Nginx(f"""
# As careless as can be: names with underscores and dots get through.
underscores_in_headers on;
ignore_invalid_headers off;
server {{
    listen 127.0.0.1:{port};
    location = /check {{ internal; proxy_pass {server.base}/auth/check; proxy_pass_request_body off;
        proxy_set_header Content-Length ""; proxy_set_header Host 127.0.0.1:{server.port}; }}
    location / {{
        auth_request /check;
        auth_request_set $subject $upstream_http_x_auth_subject;
        auth_request_set $session $upstream_http_x_auth_session;
        auth_request_set $acr $upstream_http_x_auth_acr;
        error_page 401 = @visitor;
        proxy_set_header X-Auth-Subject $subject;
        proxy_set_header X-Auth-Session $session;
        proxy_set_header X-Auth-Acr $acr;
        proxy_set_header X-Drawbridge-Proxy {PROXY_SECRET};
        proxy_set_header Host $http_host;
        proxy_pass {site.base};
    }}
    location @visitor {{
        proxy_set_header X-Auth-Subject "";
        proxy_set_header X-Auth-Session "";
        proxy_set_header X-Auth-Acr "";
        proxy_set_header X-Drawbridge-Proxy {PROXY_SECRET};
        proxy_pass {site.base};
    }}
}}
""", port):
        def get(path: str, *headers, host: str = f"127.0.0.1:{server.port}") -> wire.Answer:
            return wire.send(f"http://127.0.0.1:{port}", "GET", path, [*PAGE.items(), ("Host", host), *headers])

        alice = server.user("alice")["sub"]
        cookie = ("Cookie", server.sign_in("alice"))
        assert get("/contacts", cookie).text == f"signed in as {alice}"
        assert to_sign_in(get("/contacts"), "%2Fcontacts")
        # Had the proxy asked about that website, it would be another one's visitor.
        assert to_sign_in(get("/contacts", cookie, host="www.other.example"), "%2Fcontacts")
        # A visitor says it, in every spelling: to the proxy, and past it.
        spellings = ["X-Auth-Subject", "X_Auth_Subject", "x-auth_subject", "X_AUTH-SUBJECT", "X.Auth.Subject",
                     "x-auth.subject"]
        for name in spellings:
            session = name.replace("ubject", "ession").replace("UBJECT", "ESSION")
            forged = [(name, "bob"), (session, "s-1")]
            for answer in [get("/contacts", *forged), site.get("/contacts", dict(forged)),
                           site.get("/contacts", dict(forged), {"X-Drawbridge-Proxy": "x" * 32})]:
                assert to_sign_in(answer, "%2Fcontacts"), (name, answer.status, answer.text)
            # Beside the proxy's own word it is refused or passed over, never believed.
            beside = get("/contacts", cookie, (name, "bob"))
            assert beside.status == 303 or beside.text == f"signed in as {alice}", (name, beside.text)
        stronger = get("/strong/1", cookie)
        assert stronger.status == 401 and "acr_values" in stronger.header("WWW-Authenticate")
