"""Somebody who collects spans, by OTLP over HTTP with JSON."""

import json

from stub import Asked, Stub


class Collector(Stub):
    """Keeps what it was sent; answers with the `statuses` in turn, then with 200."""

    def __init__(self, statuses: list[int] | None = None):
        self.bodies: list[bytes] = []
        self.headers: list[dict] = []
        self._statuses = list(statuses or [])
        super().__init__(self._take)
        self.url = f"{self.base}/v1/traces"

    def _take(self, asked: Asked) -> tuple:
        status = self._statuses.pop(0) if self._statuses else 200
        self.headers.append({"path": asked.target, **dict(asked.headers)})
        if status == 200:
            self.bodies.append(asked.body)
        return status, {}

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


def facts(attributes: list[dict]) -> dict:
    return {one["key"]: next(iter(one["value"].values())) for one in attributes}
