"""Servers that are asked over HTTPS: with which versions of TLS. Those of the audit stream are in `test_audit_forward.py`."""

import socket
import ssl
import threading

import pytest

import instance
from tls import certificate, only_tls_1_1


class Handshakes:
    """A TLS server that keeps what each handshake came to: its version, or the reason why there is none."""

    def __init__(self, context: ssl.SSLContext):
        self.context = context
        self.outcomes: list[str | None] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                with self.context.wrap_socket(connection, server_side=True) as secured:
                    self.outcomes.append(secured.version())
            except ssl.SSLError as error:
                self.outcomes.append(error.reason)
            except OSError:
                self.outcomes.append("gone")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def handshakes_of_check_config(server: Handshakes, folder) -> list[str | None]:
    """What comes of the look at an issuer's keys, whose certificate nobody trusts."""
    settings = folder / "drawbridge.yaml"
    settings.write_text(f"""public_origin: http://127.0.0.1:1
data_directory: {folder}/data
trusted_issuers:
  - issuer: https://b.example
    audience: b
    subject_prefix: 'b:'
    clients: [b]
    jwks_uri: https://127.0.0.1:{server.port}/keys
clients:
  - {{client_id: b, client_type: native}}
""")
    before = len(server.outcomes)
    done = instance.run("check-config", "--online", "--config", str(settings), check=False)
    assert b"FAIL  trusted issuer https://b.example: TLS fails: " in done.stdout, done.stdout
    return instance.wait_until(lambda: server.outcomes[before:], what="the end of a handshake")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_an_issuers_server_that_speaks_no_safe_tls_is_asked_nothing(tmp_path):
    pem, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    with Handshakes(context) as new:
        # Here it is the certificate alone.
        assert set(handshakes_of_check_config(new, tmp_path)) == {"TLSV1_ALERT_UNKNOWN_CA"}
    with Handshakes(only_tls_1_1(context)) as old:
        client = only_tls_1_1(ssl.create_default_context(cafile=pem))
        with socket.create_connection(("127.0.0.1", old.port)) as plain:
            client.wrap_socket(plain, server_hostname="localhost").close()
        instance.wait_until(lambda: old.outcomes == ["TLSv1.1"], what="a handshake with whom that is enough for")
        assert set(handshakes_of_check_config(old, tmp_path)) == {"UNSUPPORTED_PROTOCOL"}
