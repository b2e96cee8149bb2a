"""Somebody who collects spans, by OTLP over HTTP with JSON."""

import http.server
import json
import threading


class Collector:
    """Keeps what it was sent; answers with the `statuses` in turn, then with 200."""

    def __init__(self, statuses: list[int] | None = None):
        self.bodies: list[bytes] = []
        self.headers: list[dict] = []
        statuses = list(statuses or [])
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = statuses.pop(0) if statuses else 200
                collector.headers.append({"path": self.path, **dict(self.headers)})
                if status == 200:
                    collector.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def text(self) -> str:
        return b"\n".join(self.bodies).decode()

    @property
    def resources(self) -> list[dict]:
        return [resource for body in self.bodies for resource in json.loads(body)["resourceSpans"]]

    @property
    def spans(self) -> list[dict]:
        """All of them, each with its attributes as a dictionary in `facts`."""
        spans = [span for resource in self.resources for scope in resource["scopeSpans"] for span in scope["spans"]]
        return [{**span, "facts": facts(span["attributes"])} for span in spans]

    def named(self, name: str) -> list[dict]:
        return [span for span in self.spans if span["name"] == name]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def facts(attributes: list[dict]) -> dict:
    return {one["key"]: next(iter(one["value"].values())) for one in attributes}
