"""docs/first-landing.md: its lines as they stand, from settings to the first landing, with the program of this build."""

import os
import re
import shutil
import subprocess

import pytest

import instance

PAGE = (instance.ROOT / "docs/first-landing.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_lines_of_the_page_lead_from_no_settings_to_a_signed_in_browser(tmp_path):
    for tool in ("curl", "openssl"):
        if not shutil.which(tool):
            pytest.skip(f"needs {tool}")
    install, settings, keys, start, token, ask, land = BLOCKS
    assert "apt-get install" in install and "systemctl" in start, "a package and systemd: deploy/test-release.sh has them"
    port, management = instance.free_port(), instance.free_port()

    def here(text: str) -> str:
        """The same without an account of its own, in a folder and at ports of this test's own."""
        return (text.replace("/etc/drawbridge", str(tmp_path / "etc")).replace("/var/lib/drawbridge", str(tmp_path / "lib"))
                .replace("runuser -u drawbridge -- ", "").replace("install -o drawbridge ", "install ")
                .replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("127.0.0.1:8081", f"127.0.0.1:{management}"))

    (tmp_path / "etc").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/drawbridge").symlink_to(instance.binary())
    environment = {**instance.environment(), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

    def run(*texts: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", here("\n".join(texts))], cwd=tmp_path, env=environment, text=True,
            capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(settings, keys)
    server = instance.Process(
        [instance.binary(), "serve", "--config", str(tmp_path / "etc/drawbridge.yaml")], tmp_path)
    try:
        instance.wait_until(lambda: instance.listens(port), 20, "the service")
        said = run(token, ask, land)
        assert f"303 http://127.0.0.1:{port}/contacts" in said
        assert '"login:alice"' in said and '"authenticated":true' in said
        # As the page promises for another browser.
        link = said.splitlines()[0]
        again = run(f"link='{link}'", land.replace("-fsS", "-sS").replace("Firefox/140.0", "Firefox/141.0"))
        assert again.startswith("400 ") and '"authenticated":false' in again
    finally:
        assert server.stop() == 0
