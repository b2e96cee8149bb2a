"""What `deploy/` holds, read as it is shipped."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import instance

DEPLOY = instance.ROOT / "deploy"
WEBSITE, ISSUER, CONSOLE = "www.example.com", "auth.example.com", "admin.example.com"
#: A second website behind the same proxy, of another domain (docs/recipes/domains.md). The app may not open it.
OTHER = "www.other.example"
#: At the website's origin, in the order of nginx's regular expression: Drawbridge's own paths, and the website's.
OWN = ["/login-with-token", "/user/login-with-token.php", "/api/auth/create-sso-token", "/v0/sign_in/token", "/session",
       "/session/logout", "/session/refresh", "/assets/drawbridge.js", "/errors", "/errors/invalid_token",
       "/.well-known/apple-app-site-association"]
OTHERS = ["/", "/contacts", "/account/profile", "/login-with-token/x", "/apis", "/api/orders", "/sessions", "/errorsx",
          "/devices", "/auth/check", "/metrics",
          "/readyz", "/oauth", "/oauth/authorize", "/admin/", "/api/admin/users", "/sign-in", "/account/devices"]


def tool(name: str) -> str:
    """A program that came with the test requirements, or that is installed."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is missing")
        pytest.skip(f"{name} is not installed")
    return found


def adapted(name: str, replacements: dict) -> str:
    """The configuration as shipped, with this test's addresses; each must be there to be replaced."""
    text = (DEPLOY / name).read_text()
    for old, new in replacements.items():
        assert old in text, f"{old} is not in {name}"
        text = text.replace(old, new)
    return text


def check_config(settings: Path, environment: dict, *more: str) -> str:
    done = subprocess.run([instance.binary(), "check-config", "--config", str(settings), *more], capture_output=True,
                          text=True, env={**instance.environment(), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def kubernetes() -> dict[str, dict]:
    if shutil.which("kubectl"):
        done = subprocess.run(["kubectl", "kustomize", DEPLOY / "kubernetes"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        documents = list(yaml.safe_load_all(done.stdout))
    else:
        names = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())["resources"]
        documents = [document for name in names for document in yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text())]
    return {f"{document['kind']}/{document['metadata']['name']}": document for document in documents}


def admitted(policy: dict) -> list[str]:
    """The networks that a policy lets at the service."""
    [rule] = [rule for rule in policy["spec"]["ingress"] if rule["ports"] == [{"port": "http"}]]
    return [peer["ipBlock"]["cidr"] for peer in rule["from"] if "ipBlock" in peer]
