"""Relying parties that nobody here wrote, each a process of its own, configured as docs/recipes says."""

import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from tornado.web import create_signed_value, decode_signed_value

import instance
import tls
import wire
from libraries import HANGS
from servers import Nginx, Server


def listing(page: str, name: str, replacements: Mapping[str, str] = {}) -> str:
    """A file as a recipe prints it, with this test's addresses, each of which must be there to be replaced."""
    found = re.findall(rf"^```\w+\n(?:<\?php // |# ){re.escape(name)}\n(.*?)^```",
                       (instance.ROOT / "docs/recipes" / page).read_text(), re.M | re.S)
    [text] = found
    for old, new in replacements.items():
        assert old in text, f"{old} is not in {name}"
        text = text.replace(old, new)
    return text


class RelyingParty(Server):
    """On a free port of loopback; a subclass says how it is started and what the provider has to know of it."""

    kind = ""
    #: Where a visitor asks for a page that only signed-in people see.
    page = "/"
    callback = ""

    def __init__(self):
        super().__init__(self.kind)
        self.port, tls_port = instance.free_port(), instance.free_port()
        self.origin = f"https://{self.kind}.example.com:{tls_port}"
        self.certificate = tls.certificate(self.folder)
        self.front = Nginx(f"""
server {{
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {self.certificate[0]};
    ssl_certificate_key {self.certificate[1]};
    location / {{
        proxy_pass http://127.0.0.1:{self.port};
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-Proto https;
    }}
}}
""", tls_port)

    def close(self):
        self.front.close()
        super().close()

    def document(self) -> dict:
        return {"client_id": f"{self.kind}-{secrets.token_hex(3)}", "client_type": "web", "first_party": True,
                "redirect_uris": [self.origin + self.callback], "public_origin": self.origin, **self.fields()}

    def fields(self) -> dict:
        raise NotImplementedError

    def python(self, program: str, **environment: str):
        (self.folder / "site.py").write_text(program)
        self.run([sys.executable, str(self.folder / "site.py")], cwd=self.folder, env={**os.environ, **environment})
        self.wait()

    def wait(self):
        instance.wait_until(lambda: instance.listens(self.port), 60, f"{self.kind}: {self.log}")

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()


class Django(RelyingParty):
    """mozilla-django-oidc: its own path of sign-in takes the page as `next`, so that path is a return path."""

    kind, page, callback = "django", "/members/", "/oidc/callback/"
    login, who = "/oidc/authenticate/", "request.user.email"
    #: What the page adds to its settings and addresses.
    further: list[str] = []

    def fields(self) -> dict:
        return {"return_paths": [self.login], "default_return_path": self.login, "require_pkce": False,
                "id_token_signed_response_alg": "RS256"}

    def start(self, demo, client_id: str, secret: str):
        (self.folder / "client-secret").write_text(secret + "\n")
        (self.folder / "drawbridge_sign_in.py").write_text(listing("django.md", "drawbridge_sign_in.py"))
        further = {name: "\n".join(listing("django.md", f"{name}, {more}", replacements) for more in self.further)
                   for name, replacements in [("settings.py", {"https://auth.example.com": demo.base}), ("urls.py", {})]}
        settings = listing("django.md", "settings.py", {
            "https://auth.example.com": demo.base, '"django"': repr(client_id), "/etc/django-site": str(self.folder)})
        # What a project begins with.
        (self.folder / "site_settings.py").write_text(f"""
DEBUG, SECRET_KEY, ALLOWED_HOSTS, ROOT_URLCONF = True, "of-this-test-alone", ["*"], "site_urls"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware"]
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "site.sqlite"}}}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
LOGIN_REDIRECT_URL = "/members/"
{settings}
{further["settings.py"]}""")
        (self.folder / "site_urls.py").write_text(f"""
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
{listing("django.md", "urls.py")}
{further["urls.py"]}
urlpatterns += [path("members/", login_required(lambda request: HttpResponse("member " + {self.who})))]
""")
        self.python(f"""
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "site_settings"
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0, run_syncdb=True)
call_command("runserver", "127.0.0.1:{self.port}", use_reloader=False)
""")

    def shell(self, program: str) -> str:
        """What a program prints that runs as in `manage.py shell`."""
        begins = 'import os\nos.environ["DJANGO_SETTINGS_MODULE"] = "site_settings"\nimport django\ndjango.setup()\n'
        done = subprocess.run([sys.executable, "-c", begins + program], cwd=self.folder, capture_output=True, text=True,
                              timeout=HANGS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def age(self, visit: "Traveller", seconds: int):
        """As if so much time had passed since the sign-in, though the session is used all the while."""
        self.shell(f"""
from django.contrib.sessions.backends.db import SessionStore
session = SessionStore({visit.jars[self.origin]["sessionid"]!r})
session["oidc_id_token_expiration"] -= {seconds}
session.save()
""")


class DjangoBySubject(Django):
    """The same for users without an address, and it hears of the end: what its page says besides."""

    kind, who, further = "django-by-subject", "request.user.username", ["further"]

    def fields(self) -> dict:
        return {**super().fields(), "backchannel_logout_uri": f"http://127.0.0.1:{self.port}/backchannel-logout"}

    def start(self, demo, client_id: str, secret: str):
        (self.folder / "drawbridge_users.py").write_text(listing("django.md", "drawbridge_users.py"))
        super().start(demo, client_id, secret)

    @staticmethod
    def account(demo, subject: str) -> str:
        """Its name at the website, as the page says."""
        return "u-" + hashlib.sha256(f"{demo.base}\n{subject}".encode()).hexdigest()[:32]


class Flask(RelyingParty):
    """Authlib's Flask client, with the way in that OpenID Connect Core §4 names: the file of docs/recipes/flask.md."""

    kind, page, callback = "flask", "/members", "/callback"

    def fields(self) -> dict:
        return {"return_paths": ["/members", "/members/*"], "default_return_path": "/members", "landing": "initiate_login",
                "initiate_login_uri": f"{self.origin}/login"}

    def start(self, demo, client_id: str, secret: str):
        (self.folder / "client-secret").write_text(secret + "\n")
        (self.folder / "session-key").write_bytes(secrets.token_bytes(32))
        (self.folder / "flask_site.py").write_text(listing("flask.md", "flask_site.py", {
            "https://flask.example.com": self.origin, 'client_id="flask"': f"client_id={client_id!r}",
            "https://auth.example.com": demo.base, "/etc/flask-site": str(self.folder)}))
        self.python(f"""
from flask_site import app, members


@app.get("/members/<path:page>")
def further(page):
    return f"{{page}} " + members()


app.run("127.0.0.1", {self.port})
""")


class JupyterHub(RelyingParty):
    """JupyterHub with oauthenticator, and in place of a notebook server a service that signs its visitors in as one does."""

    kind, page, callback = "jupyterhub", "/hub/home", "/hub/oauth_callback"
    COOKIE, SERVER = "jupyterhub-hub-login", "service-notebook"
    #: Where the service would listen.
    CALLBACK = "http://127.0.0.1:1/oauth_callback"
    #: What the page adds to its settings.
    further: list[str] = []

    def __init__(self):
        super().__init__()
        self.server_secret = secrets.token_hex(16)

    def fields(self) -> dict:
        return {"return_paths": ["/hub/oauth_login"], "default_return_path": "/hub/oauth_login"}

    def start(self, demo, client_id: str, secret: str):
        (self.folder / "client-secret").write_text(secret + "\n")
        settings = listing("jupyterhub.md", "jupyterhub_config.py", {
            "https://auth.example.com": demo.base, "https://hub.example.com": self.origin, '"jupyterhub"': repr(client_id),
            "/etc/jupyterhub": str(self.folder)})
        further = "\n".join(listing("jupyterhub.md", f"jupyterhub_config.py, {more}") for more in self.further)
        (self.folder / "jupyterhub_config.py").write_text(f'''
from jupyterhub.proxy import Proxy

class NoProxy(Proxy):
    """Visitors come to the hub itself."""
    should_start = False
    async def add_route(self, *arguments): pass
    async def delete_route(self, *arguments): pass
    async def get_all_routes(self): return {{}}

c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.bind_url = "http://127.0.0.1:{self.port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{self.port}"
c.JupyterHub.db_url = "sqlite:///{self.folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{self.folder}/cookie_secret"
c.JupyterHub.spawner_class = "simple"
c.JupyterHub.services = [{{"name": "notebook", "api_token": "{self.server_secret}", "oauth_client_id": "{self.SERVER}",
                          "oauth_redirect_uri": "{self.CALLBACK}", "oauth_no_confirm": True}}]
c.JupyterHub.load_roles = [{{"name": "user", "scopes": ["self", "access:services"]}}]
{settings}
{further}
''')
        self.run([sys.executable, "-m", "jupyterhub", "-f", str(self.folder / "jupyterhub_config.py")], cwd=self.folder)
        self.wait()

    def code(self, visit: "Traveller") -> str:
        """What the hub sends this browser back to the server with."""
        query = urlencode({"client_id": self.SERVER, "redirect_uri": self.CALLBACK, "response_type": "code", "state": "s"})
        answer = visit.get(f"{self.origin}/hub/api/oauth2/authorize?{query}")
        assert answer.status == 302 and answer.header("Location").startswith(self.CALLBACK), (answer.status, answer.text[:500])
        [code] = parse_qs(urlsplit(answer.header("Location")).query)["code"]
        return code

    def redeem(self, code: str) -> wire.Answer:
        """What the server then asks the hub for; the token goes into its own cookie."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.CALLBACK, "client_id": self.SERVER,
                "client_secret": self.server_secret}
        return wire.send(f"http://127.0.0.1:{self.port}", "POST", "/hub/api/oauth2/token", {"Content-Type": wire.FORM},
                         urlencode(form))

    def knows(self, token: str) -> bool:
        """Whether the hub still says to the server whose browser it is."""
        answer = wire.send(f"http://127.0.0.1:{self.port}", "GET", "/hub/api/user", {"Authorization": f"Bearer {token}"})
        assert answer.status in (200, 403), (answer.status, answer.text[:500])
        return answer.status == 200

    def age(self, visit: "Traveller", seconds: int):
        """As if the hub had set its cookie so much earlier."""
        secret, jar = bytes.fromhex((self.folder / "cookie_secret").read_text()), visit.jars[self.origin]
        held = jar[self.COOKIE].strip('"')
        then = int(held.split("|")[2].partition(":")[2]) - seconds
        jar[self.COOKIE] = '"%s"' % create_signed_value(
            secret, self.COOKIE, decode_signed_value(secret, self.COOKIE, held), clock=lambda: then).decode()


class JupyterHubBySubject(JupyterHub):
    """The same for users without an address, and it hears of the end: what its page says besides."""

    kind, further = "jupyterhub-by-subject", ["further"]

    def fields(self) -> dict:
        return {**super().fields(), "backchannel_logout_uri": f"http://127.0.0.1:{self.port}/hub/backchannel-logout"}

    def start(self, demo, client_id: str, secret: str):
        (self.folder / "drawbridge_users.py").write_text(
            listing("jupyterhub.md", "drawbridge_users.py", {"https://auth.example.com": demo.base}))
        super().start(demo, client_id, secret)


class PHP(RelyingParty):
    """No OpenID library: the site redeems the login token itself and keeps its users in `$_SESSION` (docs/recipes/php.md)."""

    kind, page = "php", "/members/"
    #: Beside those that every run of it has; `-n` is PHP without any php.ini.
    options: tuple[str, ...] = ()

    def fields(self) -> dict:
        return {"return_paths": ["/members/*"], "default_return_path": "/members/", "redirect_uris": [f"{self.origin}/unused"],
                "redemption_page": "/login-with-token.php",
                "id_token_signed_response_alg": "RS256", "backchannel_logout_uri": self.backchannel_logout_uri}

    @property
    def backchannel_logout_uri(self) -> str:
        return f"http://127.0.0.1:{self.port}/backchannel-logout.php"

    def start(self, demo, client_id: str, secret: str):
        root, ended, kept, keys = (self.folder / name for name in ["site", "ended", "sessions", "keys"])
        for folder in [root / "members", ended, kept, keys]:
            folder.mkdir(parents=True)
        (self.folder / "client-secret").write_text(secret + "\n")
        addresses = {"https://auth.example.com": demo.base, "'php-site'": f"'{client_id}'",
                     "/etc/php-site/client-secret": str(self.folder / "client-secret"), "/var/lib/php-site/ended": str(ended),
                     "/var/lib/php-site/keys.json": str(keys / "keys.json")}
        for name in ["login-with-token.php", "backchannel-logout.php", "session.php", "members/index.php"]:
            text = listing("php.md", name, addresses if name == "session.php" else {})
            (root / name).write_text("<?php\n" + text)
        # Two workers: the provider's news comes while a visitor is served.
        self.run(["php", *self.options, "-d", f"session.save_path={kept}", "-S", f"127.0.0.1:{self.port}", "-t", str(root)],
                 cwd=self.folder,
                 env={**os.environ, "PHP_CLI_SERVER_WORKERS": "2"})
        self.wait()


class LemonLDAP(RelyingParty):
    """The portal of LemonLDAP::NG, with Drawbridge as the provider that it asks."""

    kind, page, callback = "lemonldap", "/", "/?openidconnectcallback=1"
    PORTAL = Path("/usr/share/lemonldap-ng/portal")

    def fields(self) -> dict:
        return {"return_paths": ["/"], "default_return_path": "/", "require_pkce": False,
                "id_token_signed_response_alg": "RS256"}

    def start(self, demo, client_id: str, secret: str):
        for name in ["conf", "sessions/lock", "psessions/lock", "cache"]:
            (self.folder / name).mkdir(parents=True)

        def kept(name: str) -> dict:
            return {"Directory": f"{self.folder}/{name}", "LockDirectory": f"{self.folder}/{name}/lock"}

        def fetched(path: str) -> str:
            return wire.send(demo.base, "GET", path).text

        settings = {
            "oidcOPMetaDataOptionsClientID": client_id, "oidcOPMetaDataOptionsClientSecret": secret,
            "oidcOPMetaDataOptionsScope": "openid email",
            "oidcOPMetaDataOptionsTokenEndpointAuthMethod": "client_secret_basic",
            "oidcOPMetaDataOptionsCheckJWTSignature": 1, "oidcOPMetaDataOptionsUseNonce": 1,
            "oidcOPMetaDataOptionsIDTokenMaxAge": 30, "oidcOPMetaDataOptionsJWKSTimeout": 0}
        (self.folder / "conf/lmConf-1.json").write_text(json.dumps({
            "cfgNum": 1, "cfgVersion": "2.16.1", "cfgDate": 1, "cfgAuthor": "a test", "cfgAuthorIP": "127.0.0.1",
            "key": "of this test alone", "domain": "example.com", "portal": f"{self.origin}/",
            "cookieName": "lemonldap", "securedCookie": 1, "httpOnly": 1, "timeout": 7200, "whatToTrace": "uid",
            "authentication": "OpenIDConnect", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null",
            "oidcOPMetaDataJSON": {"drawbridge": fetched("/.well-known/openid-configuration")},
            "oidcOPMetaDataJWKS": {"drawbridge": fetched("/.well-known/jwks.json")},
            "oidcOPMetaDataOptions": {"drawbridge": settings},
            "oidcOPMetaDataExportedVars": {"drawbridge": {"uid": "sub", "mail": "email"}},
            "globalStorage": "Apache::Session::File", "persistentStorage": "Apache::Session::File",
            "globalStorageOptions": {**kept("sessions"),
                                     "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"},
            "persistentStorageOptions": kept("psessions"), "localSessionStorage": "Cache::FileCache",
            "localSessionStorageOptions": {"namespace": "sessions", "cache_root": f"{self.folder}/cache", "cache_depth": 3,
                                           "default_expires_in": 600},
            "locationRules": {}, "exportedHeaders": {}, "portalSkin": "bootstrap",
            "applicationList": {"1": {"type": "category", "catname": "members", "site": {
                "type": "application", "options": {"name": "members only", "uri": f"{self.origin}/x", "display": "on"}}}}}))
        (self.folder / "lemonldap-ng.ini").write_text(f"""[all]
logLevel = warn
[configuration]
type = File
dirName = {self.folder}/conf
[portal]
templateDir = {self.PORTAL}/templates
staticPrefix = /static
""")
        self.run(["plackup", "-p", str(self.port), "-o", "127.0.0.1", str(self.PORTAL / "htdocs/index.psgi")], cwd=self.folder,
                 env={**os.environ, "LLNG_DEFAULTCONFFILE": str(self.folder / "lemonldap-ng.ini"), "LANG": "C.UTF-8"})
        self.wait()


class Traveller:
    """A browser that was opened from an app: goes wherever it is sent, keeps each site's cookies, and touches nothing."""

    def __init__(self, party: RelyingParty):
        self.party = party
        self.jars: dict[str, dict[str, str]] = {}
        self.seen: list[str] = []
        #: With their queries.
        self.whole: list[str] = []

    def go(self, url: str) -> wire.Answer:
        for _ in range(12):
            self.seen.append(url.partition("?")[0])
            self.whole.append(url)
            answer = self.get(url)
            if answer.status not in (301, 302, 303):
                return answer
            url = urljoin(url, answer.header("Location"))
        raise AssertionError(f"in circles: {self.seen}")

    def get(self, url: str, more: Mapping[str, str] = {}) -> wire.Answer:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        jar = self.jars.setdefault(origin, {})
        headers = {**wire.NAVIGATION, "Accept": "text/html", **more}
        if jar:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        # The website's name leads to this machine, as far as this browser is concerned.
        if origin == self.party.origin:
            headers["Host"], origin = parts.netloc, f"https://localhost:{parts.port}"
        answer = wire.send(origin, "GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers,
                           cafile=str(self.party.certificate[0]))
        for line in answer.all("Set-Cookie"):
            for name, morsel in SimpleCookie(line).items():
                if morsel["max-age"] == "0" or not morsel.value:
                    jar.pop(name, None)
                else:
                    jar[name] = morsel.coded_value
        return answer
