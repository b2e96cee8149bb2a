"""The proxies of `deploy/`, run for real with the configuration that is shipped, and a website behind them."""

import json
import os
import shutil
import socketserver
import threading
import wsgiref.simple_server
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import yaml

import instance
from deployment import WEBSITE, adapted, tool
from servers import Server


class Website(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    """Says what it was asked, headers included, by WSGI: there `-` and `_` are the same in a name (RFC 3875 §4.1.18)."""

    daemon_threads = True

    class Handler(wsgiref.simple_server.WSGIRequestHandler):
        def get_environ(self):
            return {**super().get_environ(), "target": self.path}

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.set_app(self.answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @staticmethod
    def answer(environ, start):
        headers = {name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        start("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"path": environ["target"], "headers": headers}).encode()]


class Caddy(Server):
    def __init__(self, text: str, port: int):
        super().__init__("caddy")
        (self.folder / "Caddyfile").write_text(text)
        self.run([tool("caddy"), "run", "--adapter", "caddyfile", "--config", str(self.folder / "Caddyfile")],
                 env={**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)})
        instance.wait_until(lambda: instance.listens(port), 15, "Caddy")

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class Envoy(Server):
    def __init__(self, text: str, port: int):
        super().__init__("envoy")
        (self.folder / "envoy.yaml").write_text(text)
        self.run([tool("envoy"), "-c", str(self.folder / "envoy.yaml"), "--disable-hot-restart", "--concurrency", "1",
                  "--log-level", "warning"], cwd=self.folder)
        instance.wait_until(lambda: instance.listens(port), 20, "Envoy")

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class HAProxy(Server):
    def __init__(self, certificate: str, key: str, addresses: dict, port: int, hosts: Sequence[str], more: Mapping = {}):
        """`hosts` are the website's, with their ports."""
        super().__init__("haproxy")
        pem, script = self.folder / "both.pem", self.folder / "check.lua"
        pem.write_text(Path(certificate).read_text() + Path(key).read_text())
        script.write_text(adapted("haproxy-drawbridge.lua", {old: addresses[old] for old in ["127.0.0.1:8080"]}))
        (self.folder / "haproxy.cfg").write_text(adapted("haproxy.cfg", {
            **addresses, "/etc/ssl/www.example.com.pem": str(pem), "/etc/haproxy/haproxy-drawbridge.lua": str(script),
            f"-m str {WEBSITE} {WEBSITE}:443": f"-m str {' '.join(hosts)}", "bind :443": f"bind 127.0.0.1:{port}", **more}))
        self.run([shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", str(self.folder / "haproxy.cfg")])
        instance.wait_until(lambda: instance.listens(port), 15, f"HAProxy: {self.log}")

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class ApacheProxy(Server):
    MODULES = ["mpm_event", "authz_core", "headers", "ssl", "socache_shmcb", "proxy", "proxy_http", "lua"]

    def __init__(self, certificate: tuple[Path, Path], addresses: dict, port: int, hosts: Sequence[str]):
        super().__init__("apache-proxy")
        self.folder.chmod(0o755)
        script = self.folder / "drawbridge.lua"
        known = ", ".join(f'["{host}{suffix}"] = true' for host in hosts for suffix in ["", ":443"])
        script.write_text(adapted("apache-drawbridge.lua", {
            **addresses, f'["{WEBSITE}"] = true, ["{WEBSITE}:443"] = true': known}))
        # Started by root, it reads the key before its workers are somebody else.
        text = adapted("apache.conf", {
            "/etc/ssl/www.example.com.pem": str(certificate[0]), "/etc/ssl/private/www.example.com.key": str(certificate[1]),
            "/etc/apache2/apache-drawbridge.lua": str(script), "*:443": f"127.0.0.1:{port}",
            f"ServerName {WEBSITE}\n": f"ServerName {WEBSITE}\n    ServerAlias {' '.join(hosts)}\n",
            "${APACHE_LOG_DIR}": str(self.folder),
            "127.0.0.1:8080": addresses["127.0.0.1:8080"]})
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in self.MODULES)
        owner = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        (self.folder / "apache.conf").write_text(f"""ServerName localhost
ServerRoot {self.folder}
DefaultRuntimeDir {self.folder}
PidFile {self.folder}/apache.pid
ErrorLog {self.folder}/error.log
LogLevel warn
Listen 127.0.0.1:{port}
{modules}
{owner}
{text}""")
        self.run(["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", str(self.folder / "apache.conf")])
        instance.wait_until(lambda: instance.listens(port), 15, "Apache")


class Traefik(Server):
    def __init__(self, text: str, port: int):
        super().__init__("traefik")
        rules = self.folder / "rules.yaml"
        rules.write_text(text)
        (self.folder / "traefik.yaml").write_text(adapted("traefik-static.yaml", {
            '":443"': f'"127.0.0.1:{port}"', "/etc/traefik/drawbridge.yaml": str(rules)}))
        self.run([tool("traefik"), f"--configFile={self.folder / 'traefik.yaml'}"], cwd=self.folder)
        instance.wait_until(lambda: instance.listens(port), 20, f"Traefik: {self.log}")

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class Ingress:
    """What the controller of ingress-nginx 1.15.0, the last one, makes of our documents: a configuration of nginx.

    The controller itself needs a cluster. Of its template only what our documents ask for is written here."""

    NOTE = "nginx.ingress.kubernetes.io/"

    def __init__(self, text: str, services: dict[str, str], certificate: tuple[Path, Path], port: int):
        self.documents = [document for document in yaml.safe_load_all(text) if document]
        self.services, self.certificate, self.port = services, certificate, port
        settings = self.config_map("ingress-nginx-controller")
        namespace, _, name = settings["proxy-set-headers"].partition("/")
        assert namespace == "ingress-nginx"
        self.further_headers = self.config_map(name)
        # What the template has by default, and the place of the log in this test.
        level = settings.get("error-log-level", "notice")
        self.http = f"error_log error.log {level};\n" + settings["http-snippet"] + self.elsewhere() + "".join(
            self.server(host, places) for host, places in self.places().items())

    def config_map(self, name: str) -> dict[str, str]:
        [data] = [document["data"] for document in self.documents
                  if document["kind"] == "ConfigMap" and document["metadata"]["name"] == name]
        return data

    def places(self) -> dict[str, list[tuple]]:
        """The paths of each host, each with the annotations and the namespace that it has."""
        found: dict[str, list[tuple]] = {}
        for document in self.documents:
            if document["kind"] != "Ingress":
                continue
            notes = {name.removeprefix(self.NOTE): value
                     for name, value in document["metadata"].get("annotations", {}).items()}
            for rule in document["spec"]["rules"]:
                for path in rule["http"]["paths"]:
                    namespace = document["metadata"].get("namespace", "default")
                    found.setdefault(rule["host"], []).append((path, notes, namespace))
        return found

    def elsewhere(self) -> str:
        """What the controller has for hosts that no document names."""
        return f"""
server {{
    listen 127.0.0.1:{self.port} ssl default_server;
    server_name _;
    ssl_certificate {self.certificate[0]};
    ssl_certificate_key {self.certificate[1]};
    access_log off;
    return 404;
}}
"""

    def server(self, host: str, places: list[tuple]) -> str:
        exact = {path["path"] for path, _, _ in places if path["pathType"] == "Exact"}
        text = "".join(self.locations(number, *place, exact) for number, place in enumerate(places))
        # Two values of the controller that nobody changes: names with an underscore or a dot are dropped.
        return f"""
server {{
    listen 127.0.0.1:{self.port} ssl;
    server_name {host};
    ssl_certificate {self.certificate[0]};
    ssl_certificate_key {self.certificate[1]};
    underscores_in_headers off;
    ignore_invalid_headers on;
{text}}}
"""

    def locations(self, number: int, path: dict, notes: dict[str, str], namespace: str, exact: set[str]) -> str:
        service = path["backend"]["service"]["name"]
        lines = [f'set $namespace "{namespace}";', f'set $service_name "{service}";', "set $pass_access_scheme $scheme;"]
        lines += [f"deny {network};" for network in notes.get("denylist-source-range", "").split(",") if network]
        lines += ["access_log off;"] if notes.get("enable-access-log") == "false" else []
        asides = ""
        if "auth-url" in notes:
            check, sign_in = f"/_external-auth-{number}", f"@sign-in-{number}"
            asides = self.check(check, notes["auth-url"]) + f"""
location {sign_in} {{
    internal;
    add_header Set-Cookie $auth_cookie;
    return 302 {self.sign_in_address(notes)};
}}
"""
            lines += [f"auth_request {check};", "auth_request_set $auth_cookie $upstream_http_set_cookie;",
                      "add_header Set-Cookie $auth_cookie;"]
            for place, name in enumerate(one.strip() for one in notes["auth-response-headers"].split(",")):
                lines += [f"auth_request_set $authHeader{place} $upstream_http_{name.lower().replace('-', '_')};",
                          f"proxy_set_header '{name}' $authHeader{place};"]
            lines += ["set_escape_uri $escaped_request_uri $request_uri;", f"error_page 401 = {sign_in};"]
        for name, value in {"Host": "$http_host", "X-Request-ID": "$request_id", "X-Real-IP": "$remote_addr",
                            "X-Forwarded-For": "$remote_addr", "X-Forwarded-Host": "$http_host",
                            "X-Forwarded-Port": "$server_port", "X-Forwarded-Proto": "$pass_access_scheme",
                            "X-Scheme": "$pass_access_scheme", "X-Original-Forwarded-For": "$http_x_forwarded_for",
                            "Proxy": "", **self.further_headers}.items():
            lines.append(f'proxy_set_header {name} "{value}";')
        lines += ["proxy_http_version 1.1;", f"proxy_pass http://{self.services[f'{namespace}/{service}']};"]
        body = "\n    ".join(lines)
        # A prefix is one of whole parts of a path.
        matches = [f"= {path['path']}"] if path["pathType"] == "Exact" else [path["path"].rstrip("/") + "/"]
        if path["pathType"] == "Prefix" and path["path"] != "/" and path["path"] not in exact:
            matches.append(f"= {path['path']}")
        return asides + "".join(f"location {match} {{\n    {body}\n}}\n" for match in matches)

    @staticmethod
    def check(place: str, url: str) -> str:
        return f"""
location = {place} {{
    internal;
    access_log off;
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_set_header X-Forwarded-Proto "";
    proxy_set_header X-Request-ID $request_id;
    proxy_set_header Host {urlsplit(url).hostname};
    proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Sent-From "nginx-ingress-controller";
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Auth-Request-Redirect $request_uri;
    proxy_http_version 1.1;
    set $target "{url}";
    proxy_pass $target;
}}
"""

    @staticmethod
    def sign_in_address(notes: dict[str, str]) -> str:
        """With the page's whole address in a parameter, unless the annotation says that parameter itself."""
        address, name = notes["auth-signin"], notes.get("auth-signin-redirect-param", "rd")
        if name in parse_qs(urlsplit(address).query):
            return address
        return f"{address}{'&' if '?' in address else '?'}{name}=$pass_access_scheme://$http_host$escaped_request_uri"
