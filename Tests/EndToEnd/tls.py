"""Certificates for servers of this machine."""

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
