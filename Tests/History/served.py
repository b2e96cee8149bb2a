"""The nodes of histories: `serve` with a demo's clients, people and keys, and a provider of others to sign in at."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path

import instance
from fleet import Fleet
from providing import PROVIDER, SECRET, ManyAtOnce

SETTINGS = """
public_origin: {issuer}
listen: 127.0.0.1:{port}
management_listen: 127.0.0.1:{management}
data_directory: {data}
database: {database}
node: demo-{port}
redis: {{url: "{redis}"}}
sign_in_url: /sign-in
default_web_client: demo-web
redemption_paths: [/login-with-token, /user/login-with-token.php]
audit: {{signing_key_file: {data}/audit-signing-key}}
limits: {{enabled: false}}
password: {{passes: 1}}
native_sso: {{enabled: true, allow_cross_client: true}}
compatibility: {{va_sign_in: true}}
self_issued: {{enabled: true, linking_apps: [demo-app]}}
cross_device: {{enabled: true}}
trusted_issuers:
  - issuer: {trusted[issuer]}
    audience: {trusted[audience]}
    hmac: {{key_id: {trusted[kid]}, secret_file: {folder}/issuer-secret}}
    shares_subjects_with_accounts: true
upstream_providers:
  - id: {provider}
    issuer: {upstream}
    client_id: drawbridge
    client_secret_file: {folder}/upstream-secret
    second_factor_counts: true
"""


class Node(instance.Demo):
    """Begins as a demo, which makes its clients, people and keys, and goes on as a server: a demo knows no provider.

    What it is started with again is in the folder above its data.
    """

    def __init__(self, *flags: str, upstream: str, data: Path | None = None, port: int = 0, prefix: Sequence[str] = (),
                 program: str | None = None):
        if data is None:
            first = instance.Demo(*flags, prefix=prefix, program=program)
            assert first.stop() == 0, first.output[-4000:]
            data = first.data
            self._settle(first, dict(zip(flags[0:6:2], flags[1:6:2])), upstream)
        self.data, folder = data, data.parent
        self.facts = json.loads((folder / "facts.json").read_text())
        self.base, self.management = self.facts["base_url"], self.facts["management_url"]
        command = [*prefix, program or instance.binary(), "serve", "--config", str(folder / "drawbridge.yaml")]
        instance.Process.__init__(self, command, folder)
        self.wait_until_ready(60)

    @staticmethod
    def _settle(demo: instance.Demo, ways: dict, upstream: str):
        folder = demo.data.parent
        for name, secret in [("issuer-secret", demo.hmac_key), ("upstream-secret", SECRET.encode())]:
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(secret)
        (folder / "facts.json").write_text(json.dumps(demo.facts))
        (folder / "drawbridge.yaml").write_text(SETTINGS.format(
            issuer=ways["--issuer"], database=ways["--database"], redis=ways["--redis"], port=demo.port,
            management=demo.management.rsplit(":", 1)[1], data=demo.data, folder=folder, provider=PROVIDER,
            upstream=upstream, trusted=demo.facts["trusted_issuer"]))


class ServedFleet(Fleet):
    """Nodes that know one provider of others, which is there for as long as they are."""

    def __init__(self, *arguments, **more):
        self.provider = ManyAtOnce()
        self.node = functools.partial(Node, upstream=self.provider.issuer)
        try:
            super().__init__(*arguments, **more)
        except BaseException:
            self.provider.close()
            raise

    def close(self):
        super().close()
        self.provider.close()
