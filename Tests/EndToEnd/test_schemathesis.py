"""Thousands of requests made from the API's own description: none breaks the server, none is answered otherwise."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import instance

TOOL = shutil.which("schemathesis") or str(Path(sys.executable).with_name("schemathesis"))
#: Per operation and phase; more find more and take longer.
EXAMPLES = os.environ.get("E2E_SCHEMA_EXAMPLES", "5")

pytestmark = pytest.mark.skipif(not Path(TOOL).exists(), reason="needs schemathesis")


#: Which checks, and what is allowed beyond what the tool takes for granted, with reasons.
CHECKS = Path(__file__).with_name("schemathesis.toml")


def test_generated_requests_are_answered_as_described(start_demo):
    for description in ["openapi.json", "openapi-console.json"]:
        # Of its own: what the tool did to clients and users before may have ended its token.
        demo = start_demo("--no-limits")
        done = subprocess.run(
            [TOOL, "--config-file", CHECKS, "run", f"{demo.base}/{description}", "--url", demo.base,
             "-H", f"Authorization: Bearer {demo.facts['admin_token']}",
             # A stream does not end, a rotation makes RSA keys, a key that is retired (the tool finds their names) ends the
             # token that asks, and the front page is the demo's website.
             "--exclude-path-regex", "stream|/rotate|/retire|^/$", "--max-examples", EXAMPLES,
             "--phases", "coverage,fuzzing", "--generation-deterministic", "--request-timeout", "60"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3600,
            cwd=demo.directory, env=instance.environment())
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert demo.popen.poll() is None
        # Otherwise most of the administration was only asked who is there.
        bearer = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
        assert demo.send("GET", "/api/admin/users", headers=bearer).status == 200


def test_every_exception_is_for_an_operation_that_there_is_and_none_switches_a_check_off_unsaid():
    """An exception for an operation that is gone, or for all, would let through what it was not made for."""
    settings = tomllib.loads(CHECKS.read_text())
    paths = yaml.safe_load((instance.ROOT / "Config" / "openapi.yaml").read_text())["paths"]
    operations = {operation["operationId"]: (path, method.upper()) for path, item in paths.items()
                  for method, operation in item.items() if isinstance(operation, dict)}
    for exception in settings["operations"]:
        # What is included by two members is included by either.
        (by,) = [member for member in exception if member.startswith("include-")]
        if by == "include-operation-id":
            assert set(exception[by]) <= set(operations)
        elif by == "include-path":
            assert exception[by] in paths
        else:
            found = [path for path, method in operations.values()
                     if re.search(exception[by], path) and method != exception.get("exclude-method")]
            assert 0 < len(found) < len(operations) / 2, exception
        switched_off = {name for name, check in exception.get("checks", {}).items() if check.get("enabled") is False}
        assert not switched_off or exception.get("include-path") == "/auth/check"
    assert settings["checks"]["enabled"] is True
    assert all(check is True or check.get("enabled", True) for check in settings["checks"].values())
