"""What `deploy/` holds: proxies are run for real in front of a real node, the rest is read by its own tool."""

import ipaddress
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
import yaml

import instance
import oauth
import wire
from deployment import CONSOLE, DEPLOY, ISSUER, OTHER, OTHERS, OWN, WEBSITE, adapted, admitted, check_config, kubernetes, tool
from proxies import ApacheProxy, Caddy, Envoy, HAProxy, Ingress, Traefik, Website
from servers import Nginx

#: What a website by CGI or WSGI takes for the names of the check's answer; those with a dot are for PHP alone.
FORGED = ["X_Auth_Subject", "x_auth_subject", "X-Auth_Subject", "x-auth_subject", "X_Auth-Subject", "X_AUTH_SESSION",
          "X-Auth_Session", "X_Auth_Acr", "X-Auth_Acr", "X-Auth-Name", "X_Auth_Name", "X-Auth-Email", "X_Auth-Email",
          "X-Auth-Groups", "X_Auth_Groups", "X.Auth.Subject", "x.auth.subject", "X.Auth-Subject", "X-Auth.Subject",
          "X_Auth.Subject", "X.AUTH_SUBJECT", "X.Auth.Session", "X-Auth.Session", "X.Auth-Acr", "X-Auth.Acr", "X.Auth.Name",
          "X-Auth.Email", "X.Auth-Groups"]

#: `set_escape_uri`, which ingress-nginx writes.
SET_MISC = [Path("/usr/lib/nginx/modules") / name for name in ("ndk_http_module.so", "ngx_http_set_misc_module.so")]

PASSWORD = "a password of this test alone"


def of_the_other(value):
    """What a configuration says of the first website, said of the second."""
    if isinstance(value, dict):
        return {name: of_the_other(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [of_the_other(inner) for inner in value]
    if not isinstance(value, str):
        return value
    return value.replace(WEBSITE, OTHER).replace("website=web", "website=other").replace("drawbridge-check", "other-check")


def traefik_with_both(text: str) -> str:
    document = yaml.safe_load(text)
    routers, middlewares = document["http"]["routers"], document["http"]["middlewares"]
    routers |= {f"other-{name}": of_the_other(routers[name]) for name in ["drawbridge", "website"]}
    middlewares["other-check"] = of_the_other(middlewares["drawbridge-check"])
    return yaml.safe_dump(document)


def ingress_with_both(text: str) -> str:
    documents = list(yaml.safe_load_all(text))
    more = [of_the_other(one) for one in documents if one["metadata"]["name"] in ["website", "drawbridge-at-the-website"]]
    return yaml.safe_dump_all(documents + more)


class Front:
    """A proxy with TLS in front of a node and of a website."""

    def __init__(self, kind: str, node: instance.Served, website: Website, certificate: tuple[Path, Path], port: int,
                 hosts: Sequence[str] = (WEBSITE, OTHER)):
        """`hosts` are all led to the website; as it is shipped a configuration names the first."""
        self.kind, self.node, self.website, self.cafile, self.port = kind, node, website, str(certificate[0]), port
        either = "|".join(map(re.escape, hosts))
        files = {"/etc/ssl/www.example.com.pem": str(certificate[0]),
                 "/etc/ssl/private/www.example.com.key": str(certificate[1])}
        addresses = {"127.0.0.1:8080": f"127.0.0.1:{node.port}", "127.0.0.1:3000": f"127.0.0.1:{website.server_port}"}
        if kind == "nginx":
            text = adapted("nginx.conf", {
                **files, **addresses, "/var/log/nginx/error.log": "error.log",
                f"server_name {WEBSITE};": f"server_name {' '.join(hosts)};",
                r"^www\.example\.com(:443)?$": f"^({either})(:443)?$",
                "listen 443 ssl": f"listen 127.0.0.1:{port} ssl"})
            self.server = Nginx(text, port)
        elif kind == "caddy":
            files = f" {{\n\tbind 127.0.0.1\n\ttls {certificate[0]} {certificate[1]}\n\tlog\n"
            text = adapted("Caddyfile", {
                **addresses, "\tlog default {": "\tadmin off\n\tauto_https disable_redirects\n\tlog default {",
                f"\n{WEBSITE} {{\n": "\n" + ", ".join(f"https://{host}:{port}" for host in hosts) + files,
                r"^www\.example\.com(:443)?$": f"^({either})(:443)?$",
                f"\n{ISSUER}, {CONSOLE} {{\n": f"\nhttps://{ISSUER}:{port}, https://{CONSOLE}:{port}{files}"})
            self.server = Caddy(text, port)
        elif kind == "traefik":
            management = node.management.rpartition(":")[2]
            text = adapted("traefik.yaml", {
                **files, **addresses, "port: 8081": f"port: {management}", "website=www": "website=web"})
            self.server = Traefik(traefik_with_both(text) if OTHER in hosts else text, port)
        elif kind == "ingress":
            text = adapted("ingress-nginx.yaml", {
                "drawbridge.drawbridge.svc.cluster.local": addresses["127.0.0.1:8080"], "website=www": "website=web"})
            text = ingress_with_both(text) if OTHER in hosts else text
            services = {"drawbridge/drawbridge": addresses["127.0.0.1:8080"], "default/website": addresses["127.0.0.1:3000"]}
            self.server = Nginx(Ingress(text, services, certificate, port).http, port, modules=SET_MISC)
        elif kind == "apache":
            self.server = ApacheProxy(certificate, addresses, port, hosts)
        elif kind == "haproxy":
            # Between its tries at a Drawbridge that was stopped it waits for as long as one may take.
            self.server = HAProxy(files["/etc/ssl/www.example.com.pem"], files["/etc/ssl/private/www.example.com.key"],
                                  addresses, port, [f"{host}{suffix}" for host in hosts for suffix in ["", ":443"]],
                                  {"timeout connect 2s": "timeout connect 200ms"})
        else:
            ports = {"address: 0.0.0.0, port_value: 443": f"address: 127.0.0.1, port_value: {port}",
                     "port_value: 8080": f"port_value: {node.port}", "port_value: 3000": f"port_value: {website.server_port}"}
            domains = json.dumps([f"{host}{suffix}" for host in hosts for suffix in ["", ":443"]])
            self.server = Envoy(adapted("envoy.yaml", {
                **files, **ports, f'[{WEBSITE}, "{WEBSITE}:443"]': domains}), port)

    def answers(self) -> bool:
        try:
            return self.send("GET", "/session").status == 200
        except OSError:
            return False

    @staticmethod
    def sends_to_sign_in(answer: wire.Answer, host: str = WEBSITE) -> bool:
        """By the website's own path, which leads on to the portal, or to the portal at once, as the check itself says."""
        location = urlsplit(answer.header("Location") or "")
        # With the port that the visitor asked, which need not be the one that the proxy listens at.
        place = (location.netloc or host, location.path)
        return answer.status in (302, 303) and place in [(host, "/session/sign-in"), (ISSUER, "/session/hand-off")]

    def send(self, method: str, target: str, headers: dict | None = None, body: str | None = None,
             host: str = WEBSITE) -> wire.Answer:
        headers = {"Host": host, **(headers or {})}
        return wire.send(f"https://localhost:{self.port}", method, target, headers, body, cafile=self.cafile)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    folder.chmod(0o755)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext",
         f"subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:{WEBSITE},DNS:{OTHER},DNS:{ISSUER},DNS:{CONSOLE}", "-keyout",
         folder / "key.pem",
         "-out", folder / "cert.pem"], check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


def served() -> instance.Served:
    """A node as the configurations want it, with a second website as docs/recipes/domains.md has it."""
    return instance.Served(
        "trusted_proxies: [127.0.0.1]\nlimits: {enabled: false}\n"
        f"issuer: https://{ISSUER}\nadmin: {{origin: \"https://{CONSOLE}\"}}\npassword: {{passes: 1}}\n",
        origin=f"https://{WEBSITE}", website=f"public_origin: https://{WEBSITE}, portal: true, may_reach: [web, other]",
        clients=[{"client_id": "other", "client_type": "web", "public_origin": f"https://{OTHER}",
                  "return_paths": ["/contacts", "/account/*"], "default_return_path": "/contacts"}],
        users={"willow": PASSWORD})


PROXIES = ["nginx", "caddy", "envoy", "haproxy", "apache", "traefik", "ingress"]


def all_but(*kinds: str) -> pytest.MarkDecorator:
    """For what these do otherwise, as the test says."""
    return pytest.mark.parametrize("front", [kind for kind in PROXIES if kind not in kinds], indirect=True)


@pytest.fixture(scope="module", params=PROXIES)
def front(request, certificate):
    if request.param in ("caddy", "envoy", "traefik"):
        tool(request.param)
    if request.param == "ingress":
        lacking = [module for module in SET_MISC if not module.exists()]
        if lacking:
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{lacking[0].name} is not installed")
    with ExitStack() as running:
        port = instance.free_port()
        node = served()
        running.callback(node.stop)
        website = Website()
        running.callback(website.shutdown)
        front = Front(request.param, node, website, certificate, port)
        running.enter_context(front.server)
        # Traefik listens before it has read its rules.
        instance.wait_until(front.answers, 20, f"{request.param}: {front.server.log}")
        yield front


@pytest.fixture(scope="module")
def shipped(front, certificate):
    """Another such proxy, in front of the same website, whose configuration names no host of the other's."""
    alone = Front(front.kind, front.node, front.website, certificate, instance.free_port(), hosts=[WEBSITE])
    with alone.server:
        instance.wait_until(alone.answers, 20, f"{front.kind}: {alone.server.log}")
        yield alone


def sign_in(front: Front) -> str:
    answer = front.send("POST", instance.ISSUE, {"Authorization": f"Bearer {front.node.bearer('alice')}"})
    assert answer.status == 200, answer.body
    login = answer.json()["login_url"]
    assert login.startswith(f"https://{WEBSITE}/login-with-token?")
    answer = front.send("GET", login.removeprefix(f"https://{WEBSITE}"), wire.NAVIGATION)
    assert answer.status == 303 and answer.header("Location") == f"https://{WEBSITE}/contacts", answer.headers
    return answer.session_cookie


def test_nobody_reaches_the_website_without_a_session(front):
    for headers in [{}, {"X-Auth-Subject": "mallory"}, {"Cookie": "__Host-drawbridge_session=made-up"}]:
        assert front.sends_to_sign_in(front.send("GET", "/contacts?a=b", {**wire.NAVIGATION, **headers}))
        answer = front.send("POST", "/contacts?a=b", headers, "a=b")
        assert answer.status == 401 or front.sends_to_sign_in(answer)


@pytest.mark.parametrize("target", [
    "/assets/../contacts", "/assets/%2e%2e/contacts", "/assets/..%2fcontacts", "/assets/..;/contacts", "//contacts",
    "/session/..//contacts", "/%63ontacts", "/contacts/.", "/contacts;x", "/login-with-token/../contacts",
    "/assets\\..\\contacts",
    "/.well-known/../contacts?x=/assets/", f"https://{WEBSITE}/contacts", f"http://{ISSUER}/contacts",
    f"https://{WEBSITE}/assets/../contacts", "*", "/%00contacts"])
def test_no_spelling_of_a_path_gets_to_the_website_past_the_check(front, target):
    """What a proxy takes for Drawbridge's own path goes to Drawbridge, whatever the website would make of it."""
    answer = front.send("GET", target)
    assert b'"headers"' not in answer.body, (target, answer.status, answer.body[:200])
    assert answer.status >= 300


class Journey:
    """A signed-out visitor's: from a website to the provider's origin, and back by hand-off."""

    def __init__(self, front: Front, start: str):
        self.front, self.jars = front, {}
        asked, url = self.follow(self.visit("GET", start), start)
        assert asked.status == 401 and urlsplit(url).hostname == ISSUER, (asked.status, url, asked.text[:300])
        fields = oauth.Forms(asked.text).forms[0]["fields"]
        answer = self.visit("POST", f"https://{ISSUER}/sign-in", {**fields, "username": "willow", "password": PASSWORD})
        self.done, self.url = self.follow(answer, url)

    def cookies(self, host: str) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.jars.get(host, {}).items())

    def visit(self, method: str, url: str, form: dict | None = None) -> wire.Answer:
        parts = urlsplit(url)
        headers = {**wire.NAVIGATION, "Cookie": self.cookies(parts.hostname) or "none=1"}
        if form is not None:
            headers |= {"Sec-Fetch-Site": "same-origin", "Origin": f"https://{parts.hostname}"}
        answer = self.front.send(method, parts.path + (f"?{parts.query}" if parts.query else ""), headers,
                                 urlencode(form) if form is not None else None, host=parts.hostname)
        jar = self.jars.setdefault(parts.hostname, {})
        jar |= {name: cookie.value for name, cookie in answer.cookies.items() if cookie.value}
        return answer

    def follow(self, answer: wire.Answer, url: str) -> tuple[wire.Answer, str]:
        for _ in range(10):
            if answer.status not in (302, 303):
                return answer, url
            url = urljoin(url, answer.header("Location"))
            answer = self.visit("GET", url)
        raise AssertionError(f"led on without end: {url}")


@pytest.mark.parametrize("host", [WEBSITE, OTHER])
@pytest.mark.parametrize("page", ["/account/1", "/account/1?a=b&c=%26d", "/contacts"])
def test_whoever_is_not_signed_in_signs_in_and_lands_on_the_page_that_he_wanted(front, page, host):
    start = f"https://{host}{page}"
    journey = Journey(front, start)
    done = journey.done
    assert (done.status, journey.url) == (200, start), (done.status, journey.url, done.text[:300])
    assert done.json()["path"] == page and done.json()["headers"]["x-auth-subject"]


def test_16_3_a_session_of_one_website_is_none_at_another_behind_the_same_proxy(front):
    """The check hears which website is meant: by `Host`, or by its parameter."""
    cookie = sign_in(front)
    assert front.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": cookie}).status == 200
    answer = front.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": cookie}, host=OTHER)
    assert front.sends_to_sign_in(answer, OTHER), (answer.status, answer.text[:200])
    handed_on = Journey(front, f"https://{OTHER}/contacts").cookies(OTHER)
    assert front.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": handed_on}, host=OTHER).status == 200
    answer = front.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": handed_on})
    assert front.sends_to_sign_in(answer), (answer.status, answer.text[:200])


#: An absolute address in the request line names one host, and `Host` another (RFC 9112 §3.2.2).
ELSEWHERE = [("/contacts", OTHER), (f"https://{WEBSITE}/contacts", OTHER), (f"https://{OTHER}/contacts", WEBSITE),
             ("/contacts", f"{OTHER},{WEBSITE}"), ("/contacts", f"{WEBSITE},{OTHER}")]


@pytest.mark.parametrize(("target", "host"), ELSEWHERE)
def test_a_session_of_another_website_opens_nothing_by_that_ones_host(front, shipped, target, host):
    """The check is about the website that `Host` names, and this proxy leads to the first one alone."""
    handed_on = Journey(front, f"https://{OTHER}/contacts").cookies(OTHER)
    asked = {**wire.NAVIGATION, "Cookie": handed_on}
    assert front.send("GET", "/contacts", asked, host=OTHER).status == 200
    answer = shipped.send("GET", target, asked, host=host)
    assert b'"headers"' not in answer.body, (answer.status, answer.text[:200])


@pytest.mark.parametrize("host", ["nobody.example", "127.0.0.1", "localhost", f"x.{WEBSITE}"])
def test_a_host_that_no_website_has_leads_to_none(shipped, host):
    """At such a host the check knows no website, and so nothing that a website demands of its visitors' sign-ins."""
    leads_to_no_website(shipped, host)


@all_but("traefik", "ingress")
@pytest.mark.parametrize("host", [f"{WEBSITE}:444", f"{WEBSITE}."])
def test_a_host_that_is_the_websites_but_for_a_port_or_a_dot_leads_to_none(shipped, host):
    """To Traefik and ingress-nginx it is the same host, and they name the website to the check."""
    leads_to_no_website(shipped, host)


def leads_to_no_website(shipped: Front, host: str):
    answer = shipped.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": sign_in(shipped)}, host=host)
    assert b'"headers"' not in answer.body, (answer.status, answer.text[:200])


def test_no_token_that_came_to_a_wrong_host_is_in_the_proxys_log(shipped):
    token = "came-to-a-wrong-host"
    for host in ["nobody.example", f"{WEBSITE}:444"]:
        shipped.send("GET", f"/login-with-token?token={token}", wire.NAVIGATION, host=host)
    assert token not in shipped.server.log


@pytest.mark.parametrize("host", [f"{WEBSITE}:443", WEBSITE.upper(), f"{WEBSITE.upper()}:443"])
def test_the_websites_host_may_be_written_with_its_port_and_in_capitals(shipped, host):
    answer = shipped.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": sign_in(shipped)}, host=host)
    assert answer.status == 200, answer.text[:200]


@all_but("envoy")
def test_a_check_by_http_1_0_that_names_the_website_is_answered(shipped):
    """Envoy has no HTTP/1.0."""
    context = ssl.create_default_context(cafile=shipped.cafile)
    # As a load balancer sends it: to an address, without a name in TLS.
    context.check_hostname = False
    with context.wrap_socket(socket.create_connection(("127.0.0.1", shipped.port), timeout=30)) as connection:
        connection.sendall(f"GET /session HTTP/1.0\r\nHost: {WEBSITE}\r\n\r\n".encode())
        assert connection.recv(12)[8:] == b" 200"


@all_but("ingress")
@pytest.mark.parametrize("kind", ["empty", "script", "image", "iframe"])
def test_a_script_without_a_session_gets_401_and_no_sign_in_page(front, kind):
    """ingress-nginx knows one answer for all (docs/recipes/proxies.md)."""
    for host in [WEBSITE, OTHER]:
        answer = front.send("GET", "/contacts", {
            "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": kind, "Sec-Fetch-Site": "same-origin", "Accept": "*/*"}, host=host)
        assert (answer.status, answer.header("Location")) == (401, None), (answer.status, answer.headers)
        # RFC 9110 §15.5.2.
        assert answer.header("WWW-Authenticate") == "Bearer"


def test_a_page_that_the_website_does_not_list_is_not_led_back_to(front):
    answer = front.send("GET", "/session/sign-in?redirect=/secret", wire.NAVIGATION)
    assert answer.status == 303 and "secret" not in answer.header("Location")


def test_the_website_hears_who_is_signed_in_and_from_nobody_else(front):
    cookie = sign_in(front)
    forged = {"Cookie": cookie, "X-Auth-Subject": "mallory", "X-Auth-Session": "1", "X-Auth-Acr": "highest"}
    for target in ["/contacts", "/contacts?max_age=0&acr=x"]:
        answer = front.send("GET", target, forged)
        assert answer.status == 200, answer.body
        seen = answer.json()
        assert seen["path"] == target
        assert seen["headers"]["x-auth-subject"] == "alice"
        assert seen["headers"]["x-auth-session"] not in ("", "1")
        assert "x-auth-acr" not in seen["headers"]


@pytest.mark.parametrize("name", FORGED)
def test_a_name_that_only_looks_like_the_checks_reaches_the_website_as_nothing(front, name):
    """To CGI, WSGI and PHP it would be the same name: visitors would say who they are."""
    answer = front.send("GET", "/contacts", {"Cookie": sign_in(front), name: "mallory"})
    assert answer.status == status_of(front, name), answer.body
    if answer.status == 200:
        seen = answer.json()["headers"]
        assert seen["x-auth-subject"] == "alice" and not [value for value in seen.values() if "mallory" in value]


def status_of(front: Front, name: str) -> int:
    """Of a request with a header of this name. Envoy refuses the whole of it for a line below."""
    return 400 if front.kind == "envoy" and "_" in name else 200


@pytest.mark.parametrize("cookies", [
    "{ours}", "theme=dark; {ours}", "{ours}; theme=dark", "theme=dark; {ours}; drawbridge_info=%7B%7D; lang=de",
    "drawbridge_info=%7B%7D;{ours};theme=dark", "theme=dark; __Host-drawbridge_form=f; {ours}; __Host-drawbridge_retry=r",
    "{ours}; my_drawbridge_theme=dark; theme=__Host-drawbridge_",
    # All of them; where one origin serves all (README, 2c), those of the sign-in and of the console as well.
    "theme=dark; {ours}; drawbridge_info=i; __Host-drawbridge_language=de; __Host-drawbridge_form=f; "
    "__Host-drawbridge_handoff=h; __Host-drawbridge_retry=r; __Host-drawbridge_known=k; __Host-drawbridge_admin=a; lang=de",
])
def test_the_website_gets_its_own_cookies_and_none_of_drawbridges(front, cookies):
    sent = cookies.format(ours=sign_in(front))
    answer = front.send("GET", "/contacts", {"Cookie": sent})
    assert answer.status == 200, answer.body
    kept = [part.strip() for part in answer.json()["headers"].get("cookie", "").split(";") if part.strip()]
    # Traefik by its own means takes all away or none.
    wanted = [part.strip() for part in sent.split(";")] if front.kind != "traefik" else []
    assert kept == [part for part in wanted if not part.startswith(("__Host-drawbridge_", "drawbridge_"))]


def test_the_console_and_the_provider_are_not_at_the_websites_origin(front):
    cookie = sign_in(front)
    for path in ["/admin/", "/admin/sign-in", "/api/admin/users", "/oauth/authorize", "/sign-in", "/account/devices"]:
        assert front.sends_to_sign_in(front.send("GET", path, wire.NAVIGATION)), path
        answer = front.send("GET", path, {**wire.NAVIGATION, "Cookie": cookie})
        assert answer.json()["path"] == path, "the website's, if it has one"


def test_the_provider_and_the_console_answer_at_hosts_of_their_own(front):
    assert front.send("GET", "/admin/sign-in", wire.NAVIGATION, host=CONSOLE).status == 200
    assert front.send("GET", "/sign-in", wire.NAVIGATION, host=ISSUER).status == 200
    assert front.send("GET", "/admin/sign-in", wire.NAVIGATION, host=ISSUER).status == 404
    assert front.send("GET", "/login-with-token?token=x", wire.NAVIGATION, host=ISSUER).status == 404
    for host in [ISSUER, CONSOLE]:
        assert front.send("GET", "/auth/check", host=host).status in (403, 404)
        assert front.send("GET", "/contacts", host=host).status == 404, "nothing there is the website's"


def test_the_check_and_the_management_paths_are_not_for_visitors(front):
    cookie = sign_in(front)
    for target in ["/auth/check", "/metrics", "/readyz"]:
        assert front.sends_to_sign_in(front.send("GET", target, wire.NAVIGATION))
        assert front.send("GET", target, {"Cookie": cookie}).json()["path"] == target, "the website's, if it has one"


def test_the_visitors_address_is_the_connections_own(front):
    token = front.send("POST", instance.ISSUE, {"Authorization": f"Bearer {front.node.bearer('walker')}",
                                                "X-Forwarded-For": "203.0.113.9"}).json()
    rows = instance.audit_rows(front.node.data)
    [address] = [row["address"] for row in rows if row["token_id"] == token["id"]]
    assert address != "203.0.113.9" and ipaddress.ip_address(address)


#: What only a proxy may say: frameworks make addresses and decisions of it.
FORWARDED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "forged.example",
             "X-Forwarded-Port": "666", "X-Forwarded-Prefix": "/forged", "X-Forwarded-Server": "forged.example",
             "X-Real-IP": "203.0.113.9", "Forwarded": "for=203.0.113.9;host=forged.example;proto=http"}


@pytest.mark.parametrize("written", [{}, FORWARDED], ids=["without", "with"])
def test_the_website_hears_the_connections_own_address_and_none_that_the_visitor_wrote(front, written):
    answer = front.send("GET", "/contacts", {"Cookie": sign_in(front), **written})
    assert answer.status == 200, answer.body
    seen = answer.json()["headers"]
    # By its own name, which says that it is what the visitor wrote.
    seen.pop("x-original-forwarded-for", None)
    assert seen["x-forwarded-for"] == "127.0.0.1"
    # Or a website takes its visitors' forms for somebody else's, and names its own addresses with http.
    assert (seen["x-forwarded-proto"], seen["x-forwarded-host"]) == ("https", WEBSITE)
    believed = {name: value for name, value in seen.items() if value in FORWARDED.values() or "forged" in value}
    assert believed == {}


@pytest.mark.parametrize("name", ["X_Forwarded_For", "X_Forwarded_Proto", "X-Forwarded_Proto", "X_FORWARDED-PROTO",
                                  "x_forwarded_host", "X_Forwarded_Port", "X-Forwarded_Prefix", "X_Real_IP", "X-Real_IP",
                                  "X.Forwarded.Proto", "X-Forwarded.Proto", "X.Forwarded-Host", "X.Real.IP",
                                  "X_Forwarded_Server", "X.Forwarded.Server"])
def test_a_name_that_only_looks_like_what_a_proxy_says_reaches_the_website_as_nothing(front, name):
    answer = front.send("GET", "/contacts", {"Cookie": sign_in(front), name: "forged"})
    assert answer.status == status_of(front, name), answer.body
    assert answer.status == 400 or "forged" not in answer.json()["headers"].values()


def test_signing_out_goes_through(front):
    cookie = sign_in(front)
    headers = {"Cookie": cookie, "Origin": f"https://{WEBSITE}", "Sec-Fetch-Site": "same-origin"}
    assert front.send("POST", "/session/logout", headers).status == 204
    assert front.sends_to_sign_in(front.send("GET", "/contacts", {**wire.NAVIGATION, "Cookie": cookie}))


def test_no_token_is_in_the_proxys_log(front):
    answer = front.send("POST", instance.ISSUE, {"Authorization": f"Bearer {front.node.bearer('logged')}"})
    token = answer.json()["token"]
    front.send("GET", f"/login-with-token?token={token}", wire.NAVIGATION)
    front.send("GET", "/contacts?seen=1", {"Cookie": "none=1"})
    assert token not in front.server.log


def test_a_page_of_drawbridge_comes_with_its_own_referrer_policy_once(front):
    page = front.send("GET", "/login-with-token?token=unknown", wire.NAVIGATION)
    assert [value for name, value in page.headers if name.lower() == "referrer-policy"] == ["no-referrer"]


@all_but("traefik", "ingress")
def test_a_drawbridge_that_hangs_holds_no_page_of_the_website_for_long(front):
    """What the check may take, with what a busy machine adds. Traefik waits for it for half a minute, ingress-nginx for a
    minute."""
    cookie = sign_in(front)
    front.node.freeze()
    try:
        began = time.monotonic()
        assert front.send("GET", "/contacts", {"Cookie": cookie}).status >= 500
        assert time.monotonic() - began < 9
    finally:
        front.node.signal(signal.SIGCONT)
    instance.wait_until(front.answers, 20, "an answer")
    assert front.send("GET", "/contacts", {"Cookie": cookie}).status == 200


def connections(port: int) -> dict[str, list[int]]:
    """What the system has at a port that somebody listens at: by its state, the bytes of each that wait to be read."""
    found: dict[str, list[int]] = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, queues, *_ = line.split()
        if int(local.rpartition(":")[2], 16) == port:
            found.setdefault(state, []).append(int(queues.partition(":")[2], 16))
    return found


@all_but("apache")
def test_of_a_visitor_who_goes_drawbridge_hears_by_the_proxy_and_uses_no_link_up(front):
    """ADR-0087. Apache notices only when it would pass an answer on."""
    established = "01"
    asking = {"Authorization": f"Bearer {front.node.bearer('goer')}"}
    issued = front.node.send("POST", instance.ISSUE, asking).json()
    head = f"GET {instance.REDEEM}?token={issued['token']} HTTP/1.1"
    lines = [head, f"Host: {WEBSITE}", *(f"{name}: {value}" for name, value in wire.NAVIGATION.items()), "", ""]
    front.node.freeze()
    try:
        context = ssl.create_default_context(cafile=front.cafile)
        with context.wrap_socket(socket.create_connection(("127.0.0.1", front.port), timeout=30),
                                 server_hostname="localhost") as visitor:
            visitor.sendall("\r\n".join(lines).encode())
            instance.wait_until(lambda: any(connections(front.node.port).get(established, [])), 20, "the request at the node")
        instance.wait_until(lambda: not any(connections(front.node.port).get(established, [])), 20, "word that they went")
    finally:
        front.node.signal(signal.SIGCONT)
    instance.wait_until(front.answers, 20, "an answer")
    sign_in(front)
    answer = front.node.send("GET", f"/api/auth/sso-tokens/{issued['id']}", asking)
    assert answer.json()["status"] == "pending"


def test_without_drawbridge_nobody_gets_in(front):
    cookie = sign_in(front)
    assert front.send("GET", "/contacts", {"Cookie": cookie}).status == 200
    front.node.stop()
    assert front.send("GET", "/contacts", {"Cookie": cookie}).status >= 500
    assert front.send("GET", "/session").status >= 500


def away(send, log) -> list[str]:
    """What the log has of secrets that were not used: login tokens and codes, in addresses and in a header."""
    secrets = {f"{host}-{number}": (host, target) for number, (host, target) in enumerate([
        (WEBSITE, "/login-with-token?token="), (WEBSITE, "/session/hand-off?code="),
        (ISSUER, "/sign-in/callback/other?state=x&code="), (ISSUER, "/oauth/authorize?request_uri="),
        (CONSOLE, "/admin/sign-in/callback?code=")])}
    for secret, (host, target) in secrets.items():
        answer = send(host, target + secret, {})
        assert answer.status >= 500
        # Or the browser would tell the website where it comes from.
        assert answer.header("Referrer-Policy") == "no-referrer"
    assert send(WEBSITE, "/login-with-token", {"Drawbridge-Login-Token": "in-a-header"}).status >= 500
    return [secret for secret in [*secrets, "in-a-header"] if secret in log()]


def test_no_token_is_in_the_proxys_log_while_drawbridge_is_away(front):
    """A proxy that gets no answer says so, and the link can still be used."""
    front.node.stop()

    def send(host: str, target: str, headers: dict) -> wire.Answer:
        return front.send("GET", target, {**wire.NAVIGATION, **headers}, host=host)

    assert away(send, lambda: front.server.log) == []


# Which paths are whose: every proxy says the same


def nginx_takes(name: str):
    patterns = re.findall(r"location ~ (\S+) \{", (DEPLOY / name).read_text())
    [pattern] = [pattern for pattern in patterns if "login-with-token" in pattern]
    return lambda path: bool(re.search(pattern, path))


def caddy_takes():
    [pattern] = re.findall(r"@drawbridge path_regexp (\S+)", (DEPLOY / "Caddyfile").read_text())
    return lambda path: bool(re.search(pattern, path))


def haproxy_takes():
    [pattern] = re.findall(r"acl drawbridge path_reg (\S+)", (DEPLOY / "haproxy.cfg").read_text())
    return lambda path: bool(re.search(pattern, path))


def apache_takes():
    script = (DEPLOY / "apache-drawbridge.lua").read_text()
    exact, below = (re.findall(r'"([^"]+)"', re.search(rf"^local {name} = \{{(.*)\}}$", script, re.M).group(1))
                    for name in ["exact", "below"])
    return lambda path: path in exact or path.startswith(tuple(below))


def traefik_takes():
    rule = yaml.safe_load((DEPLOY / "traefik.yaml").read_text())["http"]["routers"]["drawbridge"]["rule"]
    terms = re.findall(r"\b(Path|PathPrefix|PathRegexp)\(`([^`]+)`\)", rule)
    tests = {"Path": str.__eq__, "PathPrefix": str.startswith, "PathRegexp": lambda path, p: bool(re.search(p, path))}
    return lambda path: any(tests[kind](path, argument) for kind, argument in terms)


def ingress_takes():
    documents = yaml.safe_load_all((DEPLOY / "ingress-nginx.yaml").read_text())
    rules = [rule for document in documents if document["kind"] == "Ingress" for rule in document["spec"]["rules"]]
    paths = [path for rule in rules if rule["host"] == WEBSITE for path in rule["http"]["paths"]
             if path["backend"]["service"]["name"] == "drawbridge"]
    tests = {"Exact": str.__eq__, "Prefix": lambda path, p: path == p or path.startswith(p + "/")}
    return lambda path: any(tests[one["pathType"]](path, one["path"]) for one in paths)


def envoy_takes():
    routes = envoy_routes("website")
    tests = {"path": str.__eq__, "prefix": str.startswith,
             "path_separated_prefix": lambda path, p: path == p or path.startswith(p + "/")}

    def cluster(path: str) -> str:
        for route in routes:
            [(kind, argument)] = route["match"].items()
            if tests[kind](path, argument):
                return route["route"]["cluster"]
        raise AssertionError(path)

    return lambda path: cluster(path) == "drawbridge"


def envoy_routes(name: str) -> list[dict]:
    listener = yaml.safe_load((DEPLOY / "envoy.yaml").read_text())["static_resources"]["listeners"][0]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    [host] = [host for host in manager["route_config"]["virtual_hosts"] if host["name"] == name]
    return host["routes"]


def test_envoy_does_not_cut_what_the_console_shows_live():
    """Without a word of its own a route ends every answer after 15 s."""
    routes = envoy_routes("provider-and-console")
    first = next(one for one in routes if "/api/admin/audit-events/stream".startswith(one["match"].get("prefix", "nowhere")))
    # The stream says something every ten seconds.
    assert first["route"] == {"cluster": "drawbridge", "timeout": "0s", "idle_timeout": "60s"}


def test_no_proxy_keeps_a_connection_for_as_long_as_drawbridge_does():
    """A POST on a connection that is just being closed would be a 502."""
    kept = {"Caddyfile": r"^\t+keepalive (\d+)s$", "envoy.yaml": r"\{idle_timeout: (\d+)s\}$",
            "traefik.yaml": r"idleConnTimeout: (\d+)s$", "apache.conf": r"^ +ProxyPass / .* ttl=(\d+)$"}
    for name, pattern in kept.items():
        seconds = re.findall(pattern, (DEPLOY / name).read_text(), re.M)
        assert seconds and max(int(one) for one in seconds) < 75, name


#: For how long a proxy waits for what Drawbridge holds back until there is news.
FOR_A_PHONE = {
    "nginx.conf": r"location ~ \^/\(signin/phone/status\$[^{]* \{[^}]*proxy_read_timeout (\d+)s;",
    "compose/nginx.conf": r"location ~ \^/\(signin/phone/status\$[^{]* \{[^}]*proxy_read_timeout (\d+)s;",
    "haproxy.cfg": r"http-request set-timeout server (\d+)s if \{ path /signin/phone/status \}",
    "Caddyfile": r"@slow path /signin/phone/status .*\n\treverse_proxy @slow \S+ \{\n\t\timport to_drawbridge (\d+)s",
    "envoy.yaml": r"path: /signin/phone/status\}, route: \{cluster: drawbridge, timeout: (\d+)s",
    "traefik.yaml": r"responseHeaderTimeout: (\d+)s"}


@pytest.mark.parametrize("name", FOR_A_PHONE)
def test_no_proxy_gives_a_phones_page_up_before_drawbridge_answers_it(name):
    source = (instance.ROOT / "Sources/Bridge/SignIn/CrossDevice/PhoneSignIns.swift").read_text()
    held = int(re.search(r"static let patience = Duration\.seconds\((\d+)\)", source)[1])
    [waits] = re.findall(FOR_A_PHONE[name], (DEPLOY / name).read_text())
    assert int(waits) > held


@pytest.mark.parametrize("name", ["nginx.conf", "compose/nginx.conf"])
def test_nginx_waits_nowhere_for_drawbridge_as_long_as_it_does_by_itself(name):
    servers = re.split(r"^server \{$", (DEPLOY / name).read_text(), flags=re.M)[1:]
    for server in servers:
        # What a server says counts in its locations; the website's server says nothing, for the website's own pages.
        inherited = re.findall(r"^    proxy_read_timeout (\d+)s;", server, re.M)
        for place in re.findall(r"^    location [^\n]* \{\n(.*?)^    \}$", server, re.M | re.S):
            if "proxy_pass http://drawbridge" in place:
                own = re.findall(r"proxy_read_timeout (\d+)s;", place)
                assert own or inherited == ["10"], place
            else:
                assert "proxy_read_timeout" not in place
    assert "proxy_read_timeout" not in servers[1].split("location")[0]


@pytest.mark.parametrize("name", ["nginx.conf", "compose/nginx.conf"])
def test_every_place_of_nginx_that_sets_fields_of_its_own_says_which_host_was_asked(name):
    """`proxy_set_header` is inherited only where there is none."""
    places = re.findall(r"^    location ([^{]+) \{\n(.*?)^    \}$", (DEPLOY / name).read_text(), re.M | re.S)
    own = {place: text for place, text in places if "proxy_set_header" in text}
    assert {"= /drawbridge-check", "/"} <= set(own)
    assert [place for place, text in own.items() if "proxy_set_header Host $http_host;" not in text] == []


@pytest.mark.parametrize("takes", [nginx_takes("nginx.conf"), nginx_takes("compose/nginx.conf"), caddy_takes(),
                                   traefik_takes(), envoy_takes(), haproxy_takes(), apache_takes(),
                                   ingress_takes()],
                         ids=["nginx", "compose", "caddy", "traefik", "envoy", "haproxy", "apache", "ingress"])
def test_a_proxy_knows_drawbridges_paths(takes):
    assert [path for path in OWN if not takes(path)] == []
    assert [path for path in OTHERS if takes(path)] == []


def test_traefik_asks_the_check_and_believes_no_visitor():
    http = yaml.safe_load((DEPLOY / "traefik.yaml").read_text())["http"]
    assert http["routers"]["website"]["middlewares"] == ["no-forged-names", "drawbridge-check", "no-cookies"]
    for router in ["drawbridge", "provider-and-console"]:
        assert http["routers"][router]["middlewares"] == ["no-referrer"]
    assert http["middlewares"]["no-referrer"] == {"headers": {"customResponseHeaders": {"Referrer-Policy": "no-referrer"}}}
    assert set(re.findall(r"Host\(`([^`]+)`\)", http["routers"]["provider-and-console"]["rule"])) == {ISSUER, CONSOLE}
    taken = {name.lower() for name, value in http["middlewares"]["no-forged-names"]["headers"]["customRequestHeaders"].items()
             if value == ""}
    assert {name.lower() for name in FORGED} <= taken
    assert http["middlewares"]["no-cookies"]["headers"]["customRequestHeaders"] == {"Cookie": ""}
    assert http["routers"]["drawbridge"]["priority"] > http["routers"]["website"]["priority"]
    check = http["middlewares"]["drawbridge-check"]["forwardAuth"]
    assert check["address"].endswith("/auth/check?website=www&redirect=") and check["trustForwardHeader"] is False
    assert check["authResponseHeaders"] == ["X-Auth-Subject", "X-Auth-Session", "X-Auth-Acr"]


def test_ingress_nginx_sets_every_identity_header_so_that_none_is_a_visitors():
    # It lets no name with an underscore or a dot through, and a header that it sets from an answer without it is left out.
    [notes] = [document["metadata"]["annotations"]
               for document in yaml.safe_load_all((DEPLOY / "ingress-nginx.yaml").read_text())
               if document["metadata"]["name"] == "website"]
    named = {name.strip().lower() for name in notes["nginx.ingress.kubernetes.io/auth-response-headers"].split(",")}
    assert {name.lower() for name in FORGED if "_" not in name and "." not in name} <= named


def test_ingress_nginx_leads_to_the_service_that_kubernetes_has():
    namespace = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())["namespace"]
    service = next(yaml.safe_load_all((DEPLOY / "kubernetes/service.yaml").read_text()))
    [port] = [port["port"] for port in service["spec"]["ports"] if port["name"] == "http"]
    ingresses = [one for one in yaml.safe_load_all((DEPLOY / "ingress-nginx.yaml").read_text()) if one["kind"] == "Ingress"]
    backends = {(one["metadata"].get("namespace"), path["backend"]["service"]["name"],
                 path["backend"]["service"]["port"]["number"])
                for one in ingresses for rule in one["spec"]["rules"] for path in rule["http"]["paths"]}
    assert backends == {(namespace, service["metadata"]["name"], port), (None, "website", 3000)}
    [check] = [one["metadata"]["annotations"]["nginx.ingress.kubernetes.io/auth-url"] for one in ingresses
               if one["metadata"]["name"] == "website"]
    assert check == f"http://{service['metadata']['name']}.{namespace}.svc.cluster.local/auth/check?website=www" and port == 80
    # By which the check knows it.
    settings = yaml.safe_load((DEPLOY / "kubernetes/drawbridge.yaml").read_text())
    [website] = [client for client in settings["clients"] if client["client_id"] == "www"]
    assert website["public_origin"] == f"https://{WEBSITE}"


# Containers


def test_the_image_passes_its_linter_and_does_not_run_as_root():
    subprocess.run([tool("hadolint"), str(DEPLOY / "Dockerfile")], check=True)
    last = (DEPLOY / "Dockerfile").read_text().rpartition("FROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    # Swift's libraries are inside, so that the image has none of its own.
    assert re.search(r"^RUN deploy/build-release.sh ", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert "--static-swift-stdlib" in (DEPLOY / "build-release.sh").read_text()


def stage(name: str) -> str:
    """What the image's recipe does in one of its stages."""
    return re.search(rf"^FROM \S+ AS {name}$(.*?)^FROM ", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)[1]


def test_the_image_holds_the_list_of_its_parts_with_the_packages_that_it_runs_on():
    assert re.search(r"^COPY --from=run /var/lib/dpkg/status (\S+)\nRUN deploy/sbom.py .*--image \1 ", stage("build"),
                     re.MULTILINE)
    last = (DEPLOY / "Dockerfile").read_text().rpartition("FROM ")[2]
    assert last.startswith("run\n") and "/usr/share/doc/drawbridge/drawbridge.cdx.json" in last


def test_the_image_is_built_from_what_a_clone_has():
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    ignored = {line.strip("/") for line in (instance.ROOT / ".gitignore").read_text().split()}
    assert "Package.swift" in names and "Package.resolved" in ignored
    for name in names:
        assert (instance.ROOT / name).exists() and name.strip("/") not in ignored, f"{name} is not in the repository"


def test_the_image_copies_every_folder_that_the_manifest_names():
    recipe = (DEPLOY / "Dockerfile").read_text()
    copied = [name.strip("/") for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE)
              for name in line.split()]
    # Targets without a path are in Sources or Tests by their names.
    named = ["Sources", "Tests", *re.findall(r'\bpath: "([^"]+)"', (instance.ROOT / "Package.swift").read_text())]
    assert len(named) > 2
    missing = [path for path in named if not any(path == name or path.startswith(name + "/") for name in copied)]
    assert not missing, f"the image is built without {missing}"


def test_compose_confines_the_nodes_and_opens_nothing_but_nginx():
    document = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())
    services = document["services"]
    nodes = {name: service for name, service in services.items() if name.startswith("node-")}
    assert len(nodes) == 3
    assert {service["environment"]["DRAWBRIDGE_NODE"] for service in nodes.values()} == {"a", "b", "c"}
    for service in nodes.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert {name for name, service in services.items() if "ports" in service} == {"nginx"}
    assert all(port.startswith("127.0.0.1:") for port in services["nginx"]["ports"])
    assert document["networks"]["inside"]["internal"]
    # The nodes' way to issuers is theirs alone: by another shared network nginx would come from an address that they do not
    # believe.
    members = {name: {other for other, service in services.items() if name in service["networks"]}
               for name in document["networks"]}
    assert members["issuers"] == set(nodes) and members["inside"] == set(services) and members["outside"] == {"nginx"}
    text = (DEPLOY / "compose/nginx.conf").read_text()
    assert set(re.findall(r"(?:server|http://)\s*([a-z-]+):\d+", text)) == {*nodes, "website"}
    environment = {**nodes["node-a"]["environment"]}
    environment["DRAWBRIDGE_DATABASE"] = re.sub(r"\$\{[^}]*\}", "pass-7f3a", environment["DRAWBRIDGE_DATABASE"])
    report = check_config(DEPLOY / "compose/drawbridge.yaml", environment)
    assert "postgres/drawbridge" in report and "pass-7f3a" not in report
    # nginx alone says who the visitor is, and no container that is given an address gets that one.
    settings = yaml.safe_load((DEPLOY / "compose/drawbridge.yaml").read_text())
    [address] = settings["trusted_proxies"]
    assert services["nginx"]["networks"]["inside"] == {"ipv4_address": address} and address in report
    [network] = document["networks"]["inside"]["ipam"]["config"]
    assert ipaddress.ip_address(address) in ipaddress.ip_network(network["subnet"])
    assert ipaddress.ip_address(address) not in ipaddress.ip_network(network["ip_range"])


HOSTS_OF_COMPOSE = {WEBSITE: "localhost", ISSUER: "auth.localhost", CONSOLE: "admin.localhost"}


def nginx_of_compose(certificate: tuple[Path, Path], port: int, nodes: list[int]) -> Nginx:
    """With addresses in place of the containers' names; no website is there."""
    names = {f"node-{letter}:8080": f"127.0.0.1:{node}" for letter, node in zip("abc", nodes, strict=True)}
    return Nginx(adapted("compose/nginx.conf", {
        **names, "website:3000": f"127.0.0.1:{instance.free_port()}", "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/www.example.com.pem": str(certificate[0]), "/etc/ssl/private/www.example.com.key": str(certificate[1])}),
                 port)


class Refusal(Website):
    """What a node's check says of whoever is not signed in."""

    @staticmethod
    def answer(_, start):
        start("401 Unauthorized", [("WWW-Authenticate", "Bearer")])
        return [b""]


def test_compose_leads_to_the_sign_in_at_the_port_that_the_visitor_asked(certificate):
    port, node = instance.free_port(), Refusal()
    mapped = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())["services"]["nginx"]["ports"][0].split(":")[1]
    try:
        with nginx_of_compose(certificate, port, [node.server_port] * 3):
            answer = wire.send(f"https://localhost:{port}", "GET", "/contacts",
                               {"Host": f"localhost:{mapped}", **wire.NAVIGATION},
                               cafile=str(certificate[0]))
    finally:
        node.shutdown()
    leads = urljoin(f"https://localhost:{mapped}/contacts", answer.header("Location"))
    assert (answer.status, leads) == (303, f"https://localhost:{mapped}/session/sign-in?redirect=/contacts")


def test_a_node_of_composes_that_hangs_is_given_up_for_another(certificate):
    port, node = instance.free_port(), Refusal()
    # The system takes connections for it, and nobody reads them.
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        nodes = [hanging.getsockname()[1], node.server_port, node.server_port]
        try:
            with nginx_of_compose(certificate, port, nodes):
                for _ in nodes:
                    began = time.monotonic()
                    answer = wire.send(f"https://localhost:{port}", "GET", "/contacts",
                                       {"Host": "localhost:8443", **wire.NAVIGATION}, cafile=str(certificate[0]))
                    assert answer.status == 303, answer.text
                    assert time.monotonic() - began < 9
        finally:
            node.shutdown()


def test_nginx_accepts_the_configuration_of_compose(certificate):
    port = instance.free_port()
    with nginx_of_compose(certificate, port, [instance.free_port() for _ in "abc"]):
        for host in HOSTS_OF_COMPOSE.values():
            answer = wire.send(f"https://localhost:{port}", "GET", "/contacts", {"Host": f"{host}:8443"},
                               cafile=str(certificate[0]))
            assert answer.status >= 500, "no node is there, so nobody gets in"
        for host in ["localhost", "localhost:9443", "website:8443", "www.other.example"]:
            answer = wire.send(f"https://localhost:{port}", "GET", "/contacts", {"Host": host}, cafile=str(certificate[0]))
            assert answer.status == 421, "the website's origin has one host, with its port"


def test_no_token_is_in_the_log_of_composes_nginx_while_no_node_is_there(certificate):
    port = instance.free_port()
    with nginx_of_compose(certificate, port, [instance.free_port() for _ in "abc"]) as nginx:
        def send(host: str, target: str, headers: dict) -> wire.Answer:
            return wire.send(f"https://localhost:{port}", "GET", target, {"Host": f"{HOSTS_OF_COMPOSE[host]}:8443", **headers},
                             cafile=str(certificate[0]))

        assert away(send, lambda: nginx.log) == []


@pytest.mark.parametrize("name", ["compose/drawbridge.yaml", "kubernetes/drawbridge.yaml"])
def test_website_provider_and_console_have_hosts_of_their_own(name):
    settings = yaml.safe_load((DEPLOY / name).read_text())
    origins = [settings["public_origin"], settings["issuer"], settings["admin"]["origin"]]
    assert len({urlsplit(origin).hostname for origin in origins}) == 3


def test_kubernetes_believes_addresses_and_no_network_of_pods():
    settings = yaml.safe_load((DEPLOY / "kubernetes/drawbridge.yaml").read_text())
    assert all(ipaddress.ip_network(proxy).num_addresses == 1 for proxy in settings["trusted_proxies"])


def test_kubernetes_admits_the_proxies_that_the_settings_believe_even_from_outside_of_any_namespace():
    """A controller with `hostNetwork` has its node's address."""
    settings = yaml.safe_load((DEPLOY / "kubernetes/drawbridge.yaml").read_text())
    assert admitted(kubernetes()["NetworkPolicy/drawbridge"]) == [f"{proxy}/32" for proxy in settings["trusted_proxies"]]


def test_the_memory_of_a_pod_has_room_for_what_the_audit_log_signs():
    source = (instance.ROOT / "Sources/drawbridge/Service/AuditNotes/AuditNoteFile.swift").read_text()
    begun_anew = int(re.search(r"sizeLimit = (\d+) << 20", source)[1])
    [volume] = [volume for volume in kubernetes()["StatefulSet/drawbridge"]["spec"]["template"]["spec"]["volumes"]
                if volume["name"] == "keys"]
    # The file, the one before, and both once more when they were set aside (`audit accept`).
    assert int(volume["emptyDir"]["sizeLimit"].removesuffix("Mi")) > 4 * begun_anew


def test_kubernetes_nodes_are_confined_probed_and_budgeted():
    found = kubernetes()
    pod = found["StatefulSet/drawbridge"]["spec"]["template"]["spec"]
    labels = found["StatefulSet/drawbridge"]["spec"]["template"]["metadata"]["labels"]
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    for container in pod["initContainers"] + pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        assert container["resources"]["requests"] and container["resources"]["limits"]
        assert {mount["name"] for mount in container["volumeMounts"]} <= {volume["name"] for volume in pod["volumes"]}
    [container] = pod["containers"]
    ports = {port["name"] for port in container["ports"]}
    assert container["livenessProbe"]["httpGet"] == {"path": "/livez", "port": "management"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "management"}
    for kind, where in [("PodDisruptionBudget/drawbridge", "selector"), ("NetworkPolicy/drawbridge", "podSelector")]:
        assert found[kind]["spec"][where]["matchLabels"].items() <= labels.items()
    for kind in ["Service/drawbridge", "Service/drawbridge-nodes"]:
        assert found[kind]["spec"]["selector"].items() <= labels.items()
        assert {port["targetPort"] for port in found[kind]["spec"]["ports"]} <= ports
    assert found["NetworkPolicy/drawbridge"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert not any(kind.startswith("Secret/") for kind in found), "secrets are not made here"


def test_kubernetes_leaves_a_start_the_time_that_a_migration_tries():
    source = (instance.ROOT / "Sources/SQLStorage/Schema/MigrationPatience.swift").read_text()
    limit, pause = map(int, re.search(r"limit: \.seconds\((\d+)\), pause: \.seconds\((\d+)\)", source).groups())
    [container] = kubernetes()["StatefulSet/drawbridge"]["spec"]["template"]["spec"]["containers"]
    probe = container["startupProbe"]
    # With the last attempt, and what else a start does.
    assert probe["periodSeconds"] * probe["failureThreshold"] > limit + pause + 60


def test_kubernetes_settings_are_accepted(tmp_path):
    secret = yaml.safe_load((DEPLOY / "kubernetes/secret.example.yaml").read_text())["stringData"]
    for name, text in secret.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)  # as the first container leaves it
    report = check_config(DEPLOY / "kubernetes/drawbridge.yaml", {"DRAWBRIDGE_NODE": "drawbridge-0"},
                          "--secrets-directory", str(tmp_path), "--redis-password-file", str(tmp_path / "redis-password"))
    assert "db.example.com/drawbridge" in report and "PASSWORD" not in report


def test_the_keys_of_kubernetes_are_made_as_its_instructions_say(tmp_path):
    text = (DEPLOY / "kubernetes/secret.example.yaml").read_text()
    [line] = re.findall(r"^#   drawbridge (keys init .*?)  +\(", text, re.MULTILINE)
    words = line.replace("deploy/kubernetes", str(DEPLOY / "kubernetes")).split()
    done = subprocess.run([instance.binary(), *words], capture_output=True, text=True, cwd=tmp_path,
                          env=instance.environment())
    assert done.returncode == 0, done.stderr
    # With the file that is written by hand, what the first container installs.
    made = {path.name for path in (tmp_path / "keys").iterdir()} | {"redis-password"}
    [container] = kubernetes()["StatefulSet/drawbridge"]["spec"]["template"]["spec"]["initContainers"]
    assert {Path(word).name for word in container["command"] if word.startswith("/secret/")} == made


# The archive and the package


def test_the_manual_names_every_command_option_and_setting(tmp_path):
    subprocess.run([sys.executable, DEPLOY / "manual.py", instance.binary(), tmp_path], check=True)
    said = subprocess.run([instance.binary(), "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    commands = (tmp_path / "drawbridge.1").read_text()

    def walk(command: dict, path: str):
        assert f'.SS "{path}"' in commands.replace("\\-", "-") or " " not in path
        for argument in command.get("arguments", []):
            for name in argument.get("names") or []:
                assert name["name"].replace("-", "\\-") in commands
        for below in command.get("subcommands", []):
            if below["commandName"] != "help":
                walk(below, f"{path} {below['commandName']}")

    walk(json.loads(said)["command"], "drawbridge")
    settings = json.loads(subprocess.run([instance.binary(), "check-config", "--describe"], capture_output=True, text=True,
                                         check=True).stdout)
    page = (tmp_path / "drawbridge.yaml.5").read_text()
    assert len(settings) > 80
    for setting in settings:
        assert f"\\fB{setting['name']}\\fR".replace("-", "\\-") in page
    for name in ["drawbridge.1", "drawbridge.yaml.5"]:
        if shutil.which("man"):
            read = subprocess.run(["man", "--warnings", "-l", tmp_path / name], capture_output=True, text=True,
                                  env={**os.environ, "MANWIDTH": "80", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            assert (read.returncode, read.stderr) == (0, "")


def test_the_release_is_made_of_what_the_repository_has():
    recipe = (DEPLOY / "release.sh").read_text()
    named = re.findall(r"(?<![\w/$.])(?:deploy|Config|docs|public)(?:/[\w.-]+)*", recipe)
    scripts = re.search(r"for script in ([a-z ]+); do", recipe)[1].split()
    for name in {*named, *(f"deploy/debian/{script}" for script in scripts)} - {"deploy/debian"}:
        assert (instance.ROOT / name).exists(), name
    used = {f"deploy/debian/{path.name}" for path in (DEPLOY / "debian").iterdir()}
    assert used <= {*named, *(f"deploy/debian/{script}" for script in scripts)}


def test_what_the_archive_asks_to_install_is_what_the_image_has():
    [line] = re.findall(r"^apt-get install --no-install-recommends (.*)$", (DEPLOY / "debian/README.archive.md").read_text(),
                        re.MULTILINE)
    assert line in stage("run")


# systemd


def test_the_unit_is_accepted_and_exposes_little(tmp_path):
    analyze = shutil.which("systemd-analyze") or pytest.skip("there is no systemd here")
    unit = tmp_path / "drawbridge.service"
    unit.write_text(adapted("drawbridge.service", {"/usr/local/bin/drawbridge": "/bin/true"}))
    assert "Documentation=man:drawbridge(1) man:drawbridge.yaml(5)" in unit.read_text()
    # Starts are tried for as long as it takes, except with settings that are not accepted.
    tried = ["StartLimitIntervalSec=0", "Restart=on-failure", "RestartSec=5s", "RestartPreventExitStatus=78"]
    assert [line for line in unit.read_text().splitlines() if line.startswith(("StartLimit", "Restart"))] == tried
    done = subprocess.run([analyze, "verify", "--man=no", unit], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run([analyze, "security", "--offline=true", "--threshold=20", unit], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_unit_does_not_hide_which_run_of_the_kernel_it_is():
    """Without it each crash of an embedded server would count as a restored database, and void the links of before."""
    unit = (DEPLOY / "drawbridge.service").read_text()
    settings = [line.partition("=")[::2] for line in unit.splitlines() if "=" in line and not line.startswith("#")]
    assert ("ProtectProc", "invisible") in settings
    assert [value for name, value in settings if name == "ProcSubset" and value != "all"] == []
    hiding = {"InaccessiblePaths", "TemporaryFileSystem", "RootDirectory", "RootImage", "MountAPIVFS"}
    assert not hiding & {name for name, _ in settings}


def test_a_server_that_cannot_tell_a_crash_from_a_loss_of_power_says_so(start_demo):
    warning = "cannot tell a crash from a loss of power"
    assert warning not in start_demo().output
    hidden = "mount -t proc -o subset=pid proc /proc && exec \"$@\""
    prefix = ["unshare", "--mount", "sh", "-c", hidden, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("needs root and leave to mount")
    demo = start_demo(prefix=prefix)
    [line] = [line for line in demo.json_lines() if warning in line.get("message", "")]
    assert (line["level"], line["unreadable"]) == ("warning", "/proc/sys/kernel/random/boot_id")


def test_what_the_unit_asks_to_do_by_hand_lets_the_first_commands_write():
    text = (DEPLOY / "drawbridge.service").read_text()
    header, user = text.partition("[Unit]")[0], re.search(r"^User=(\w+)$", text, re.M)[1]
    [folder] = re.findall(r"--home-dir (\S+)", header)
    assert f"install -d -m 0700 -o {user} -g {user} {folder}" in header
    # What is put in place by hand comes with these lines, and with the path that the program has there.
    recipe = (DEPLOY / "release.sh").read_text()
    copy = 'install -m 0644 deploy/drawbridge.service "$work/$archive/lib/systemd/system/drawbridge.service"'
    assert recipe.index('cp -a "$root/usr/." "$work/$archive/"') < recipe.index(copy)


def test_the_units_credentials_are_accepted(tmp_path):
    """The one that is there by default says nothing: the settings' database counts, or the embedded one."""
    unit = (DEPLOY / "drawbridge.service").read_text()
    [(name, text)] = re.findall(r"^SetCredential=(\w+):(.*)$", unit, re.M)
    (tmp_path / name).write_text(text.replace(r"\x20", " "))
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text("public_origin: https://www.example.com\n")
    assert "postgres" not in check_config(settings, {}, "--secrets-directory", str(tmp_path))
    with settings.open("a") as more:
        more.write("database: postgres://drawbridge@db.example.com/drawbridge\n")
    said = check_config(settings, {}, "--secrets-directory", str(tmp_path))
    assert "database: db.example.com/drawbridge  # settings file, line 2" in said
