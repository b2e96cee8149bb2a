"""Thousands of requests made from the API's own description: none breaks the server, none is answered otherwise."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import instance

TOOL = shutil.which("schemathesis") or str(Path(sys.executable).with_name("schemathesis"))
#: Per operation and phase; more find more and take longer.
EXAMPLES = os.environ.get("E2E_SCHEMA_EXAMPLES", "5")

pytestmark = pytest.mark.skipif(not Path(TOOL).exists(), reason="needs schemathesis")


def test_generated_requests_are_answered_as_described(start_demo):
    demo = start_demo("--no-limits")
    done = subprocess.run(
        [TOOL, "run", f"{demo.base}/openapi.json", "--url", demo.base,
         "-H", f"Authorization: Bearer {demo.facts['admin_token']}",
         # A stream does not end, a rotation makes RSA keys, a key that is retired (the tool finds their names) ends the
         # token that asks, without upstream providers their routes are not there, and the front page is the demo's website.
         "--exclude-path-regex", "stream|/rotate|/retire|^/sign-in/(with|callback)/|^/$", "--max-examples", EXAMPLES, "--phases", "coverage,fuzzing",
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
         "--generation-deterministic", "--request-timeout", "20"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900,
        cwd=demo.directory, env=instance.environment())
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert demo.popen.poll() is None
    # Otherwise most of the administration was only asked who is there.
    bearer = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    assert demo.send("GET", "/api/admin/users", headers=bearer).status == 200
