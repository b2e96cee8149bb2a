"""Apache as a process of its own, with mod_auth_openidc as the relying party."""

import os
import shutil
from pathlib import Path

import instance
import wire
from servers import Server

MODULES = Path("/usr/lib/apache2/modules")
LOADED = ["mpm_event", "authn_core", "authz_core", "authz_user", "headers", "ssl", "auth_openidc"]


class Apache(Server):
    """A website at `https://shop.example.com:<port>`, whose folder `/members/` only signed-in people see."""

    HOST = "shop.example.com"

    def __init__(self):
        super().__init__("apache")
        # Started by root, its workers are somebody else: they must get at the folder, and keep sessions in it.
        self.folder.chmod(0o755)
        self.port, self.plain_port = instance.free_port(), instance.free_port()
        self.origin = f"https://{self.HOST}:{self.port}"
        self.callback, self.signed_out = f"{self.origin}/members/callback", f"{self.origin}/signed-out.html"
        #: Where the provider posts logout tokens: on loopback without TLS, because it trusts the system's authorities only.
        self.backchannel_logout_uri = f"http://127.0.0.1:{self.plain_port}/members/callback?logout=backchannel"

    def start(self, metadata_url: str, client: dict, certificate: tuple[Path, Path]):
        for name in ["www/members", "sessions"]:
            (self.folder / name).mkdir(parents=True)
        (self.folder / "sessions").chmod(0o777)
        (self.folder / "www/members/page.html").write_text("members only\n")
        (self.folder / "www/signed-out.html").write_text("signed out\n")
        for source, name in zip(certificate, ["tls.pem", "tls.key"]):
            shutil.copy(source, self.folder / name)
        site = f"""
    ServerName {self.HOST}
    DocumentRoot {self.folder}/www
    OIDCProviderMetadataURL {metadata_url}
    OIDCCABundlePath {self.folder}/tls.pem
    OIDCClientID {client['client_id']}
    OIDCClientSecret {client['client_secret']}
    OIDCRedirectURI {self.callback}
    OIDCCryptoPassphrase a-passphrase-of-this-test-alone
    OIDCScope "openid profile email"
    OIDCPKCEMethod S256
    OIDCCacheType file
    OIDCCacheDir {self.folder}/sessions
    <Directory {self.folder}/www>
        Require all granted
    </Directory>
    <Location /members/>
        AuthType openid-connect
        Require valid-user
        Header set X-Member "%{{OIDC_CLAIM_sub}}e"
        Header set X-Member-Name "%{{OIDC_CLAIM_name}}e"
        Header set X-Member-Email "%{{OIDC_CLAIM_email}}e"
    </Location>
"""
        modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)
        owner = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        (self.folder / "apache.conf").write_text(f"""
ServerName {self.HOST}
ServerRoot {self.folder}
DefaultRuntimeDir {self.folder}
PidFile {self.folder}/apache.pid
ErrorLog {self.folder}/error.log
LogLevel warn auth_openidc:info
Listen 127.0.0.1:{self.port}
Listen 127.0.0.1:{self.plain_port}
{modules}
{owner}
<VirtualHost 127.0.0.1:{self.port}>
    SSLEngine on
    SSLCertificateFile {self.folder}/tls.pem
    SSLCertificateKeyFile {self.folder}/tls.key
    {site}
</VirtualHost>
<VirtualHost 127.0.0.1:{self.plain_port}>
    {site}
</VirtualHost>
""")
        self.run(["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", str(self.folder / "apache.conf")])
        instance.wait_until(lambda: instance.listens(self.plain_port), 30, f"Apache: {self.log}")


class Member:
    """A browser at the website: cookies, and no redirects followed."""

    def __init__(self, apache: Apache):
        self.apache, self.cookies = apache, {}

    def get(self, url: str) -> wire.Answer:
        # The module sends only those to the provider who ask for a page.
        headers = {**wire.NAVIGATION, "Host": f"{Apache.HOST}:{self.apache.port}", "Accept": "text/html"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = wire.send(f"https://localhost:{self.apache.port}", "GET", url.removeprefix(self.apache.origin), headers,
                           cafile=str(self.apache.folder / "tls.pem"))
        for name, cookie in answer.cookies.items():
            if cookie.value:
                self.cookies[name] = cookie.value
            else:
                self.cookies.pop(name, None)
        return answer
