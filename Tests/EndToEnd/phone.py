"""`drawbridge-phone` started for real, and websites for it to answer: over TLS, with an authority of the test's own.

What the phone sends is judged by `judge`, in the order in which a website has to check.
"""

import datetime
import ipaddress
import json
import os
import ssl
import subprocess
import urllib.parse
from pathlib import Path
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import instance
from stub import Asked, Stub

LINK_NONCE, LINKS = "/api/self-issued/link-nonce", "/api/self-issued/links"


def binary() -> str:
    return str(Path(instance.binary()).with_name("drawbridge-phone"))


class Authority:
    """Signs certificates for names of the test's choice."""

    def __init__(self, folder: Path, name: str = "authority"):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.path = folder / f"{name}.pem"
        self.certificate = self._build(self.name, self.key, [
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (x509.KeyUsage(False, False, False, False, False, True, True, False, False), True)])
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, *names: str, common: str = "website") -> tuple[Path, Path]:
        """A certificate for DNS names or addresses in subjectAltName, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        listed = [
            x509.IPAddress(ipaddress.ip_address(name)) if name[0].isdigit() else x509.DNSName(name) for name in names]
        extensions = [(x509.SubjectAlternativeName(listed), False)] if listed else []
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
        certificate = self._build(subject, key, extensions)
        stem = "-".join(names).replace("*", "any") or common
        crt, pem = self.folder / f"{stem}.crt", self.folder / f"{stem}.key"
        crt.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pem.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        pem.chmod(0o600)
        return crt, pem

    def _build(self, subject, key, extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2)))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())


class Website(Stub):
    """A website that asks phones who they are. `answers` maps paths to (status, headers, body)."""

    def __init__(self, authority: Authority, host: str = "rp.example", names: list[str] | None = None):
        self.host, self.requests, self.posts, self.answers = host, [], [], {}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(*(names if names is not None else [host]), common=host))
        super().__init__(self._answer_to, tls=context, protocol="HTTP/1.1")
        self.file = self.file_of_2012()
        self.publish(self.file)

    def _answer_to(self, asked: Asked) -> tuple:
        if asked.method == "POST":
            self.posts.append((asked.target, dict(asked.headers), asked.body.decode()))
        else:
            self.requests.append((asked.target, dict(asked.headers)))
        status, headers, body = self.answers.get(asked.target, (404, {}, b"nothing here"))
        return status, body() if callable(body) else body, headers

    @property
    def origin(self) -> str:
        return f"https://{self.host}:{self.port}"

    @property
    def client_id(self) -> str:
        return f"{self.origin}/"

    @property
    def return_uri(self) -> str:
        return f"{self.origin}/rp/authz/callback.php"

    @property
    def file_address(self) -> str:
        return f"{self.origin}/rp/rpf.json"

    def file_of_2012(self, **changes) -> dict:
        """The request file of 2012."""
        return {
            "response_type": "token id_token userinfo", "client_id": self.client_id, "scope": "openid profile",
            "userinfo": {"claims": {"email": None, "name": None, "picture": {"optional": True}}},
            "registration": {"claims": {
                "type": "client_association", "contacts": "contact@rp.example", "application_name": "Sample RP",
                "logo_url": f"{self.origin}/rp/logo.png", "policy_url": f"{self.origin}/rp/policy.html",
                "redirect_uris": self.return_uri}}, **changes}

    def publish(self, file, status: int = 200, path: str = "/rp/rpf.json", **headers):
        body = file if isinstance(file, bytes) else json.dumps(file).encode()
        self.answers[path] = (status, {"Content-Type": "application/json", **headers}, body)

    def link(self, head: str = "openid://authz", nonce: str | None = "4f8921ce98f89", state: str = "a_f2fkEx", **more):
        query = {"request_uri": self.file_address, "state": state, "nonce": nonce, **more}
        return head + "?" + urllib.parse.urlencode({k: v for k, v in query.items() if v is not None})


class Phone:
    """One person's phone."""

    def __init__(self, home: Path, authority: Authority | None, hosts=("rp.example",)):
        self.home, self.store = home, home / "keys"
        self.flags = ["--allow-private"] + [f"--resolve={host}=127.0.0.1" for host in hosts]
        if authority:
            self.flags += ["--ca", str(authority.path)]
        self.environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}

    def run(self, *arguments: str, status: int = 0, typed: str = "") -> subprocess.CompletedProcess:
        done = subprocess.run(
            [binary(), *arguments, "--store", str(self.store)], env=self.environment, input=typed,
            capture_output=True, text=True, timeout=60, start_new_session=True)
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def handle(self, link: str, *more: str, status: int = 0, typed: str = "", consent: str | None = "--yes"):
        flags = self.flags + ([consent] if consent else [])
        return self.run("handle", link, *flags, *more, status=status, typed=typed)

    def answer(self, link: str, *more: str, **how) -> "Answer":
        return Answer(self.handle(link, *more, **how).stdout.strip())

    def keys(self) -> list[Path]:
        return sorted(self.store.glob("*.key"))

    def secret(self, name: str, text: str) -> str:
        path = self.home / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return str(path)


class Answer:
    """An address with an answer in its fragment."""

    def __init__(self, address: str):
        self.address, _, fragment = address.partition("#")
        self.parameters = dict(urllib.parse.parse_qsl(fragment, keep_blank_values=True, strict_parsing=True))


def code_of(host: str = "rp.example", client: str | None = None, **more) -> str:
    query = {"client_id": client or f"https://{host}/", "nonce": "n" * 22, **more}
    return f"https://{host}{LINKS}?{urlencode({k: v for k, v in query.items() if v})}"


def handle(website, link: str, store: Path, *flags: str, consent: str = "--yes") -> subprocess.CompletedProcess:
    return subprocess.run(
        [binary(), "handle", link, "--ca", str(website.authority), "--allow-private", "--store", str(store),
         consent, *flags], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
