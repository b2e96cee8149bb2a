"""Certificates for servers of this machine, and which versions of TLS these speak."""

import ssl
import subprocess
from pathlib import Path


def certificate(folder: Path, name: str = "server", days: int = 30) -> tuple[Path, Path]:
    """A self-signed certificate for loopback, its own authority, and its key."""
    crt, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days),
         "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key),
         "-out", str(crt)],
        check=True, capture_output=True)
    key.chmod(0o600)
    return crt, key


def only_tls_1_1(context: ssl.SSLContext) -> ssl.SSLContext:
    """Has it speak what nobody may any more (RFC 8996)."""
    # Without that OpenSSL does not.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context
