"""What a server says of itself at its management listener: whether it is ready, and its metrics (docs/operations.md)."""

from dataclasses import dataclass

import wire


@dataclass(frozen=True)
class Readiness:
    """An answer of `/readyz`."""

    status: int
    #: "ok", "degraded" or "failed", by what it looked at.
    checks: dict[str, str]
    #: What the server does without, ready or not.
    degraded: list[str]


class Managed:
    """A server that has a management listener at the address `management`."""

    management: str

    def readiness(self) -> Readiness:
        answer = wire.send(self.management, "GET", "/readyz")
        said = answer.json()
        return Readiness(answer.status, said["checks"], said["degraded"])

    def is_ready(self) -> bool:
        """Not while nobody answers, either."""
        try:
            return self.readiness().status == 200
        except OSError:
            return False

    def metrics_page(self) -> str:
        answer = wire.send(self.management, "GET", "/metrics")
        assert answer.status == 200, (answer.status, answer.body)
        return answer.text

    def metrics(self) -> dict[str, float]:
        """The value of each series, by its name and labels as they are written there: `name{label="value"}`."""
        values = {}
        for line in self.metrics_page().splitlines():
            if not line or line.startswith("#"):
                continue
            series, _, value = line.rpartition(" ")
            assert series not in values, f"{series} is there twice"
            values[series] = float(value)
        return values
