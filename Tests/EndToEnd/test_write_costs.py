"""What a request makes the process write, counted by the kernel. Counts, never times: a slow machine has the same."""

from pathlib import Path

import pytest

import instance

ROUNDS = 100
#: Bytes and calls of write that one issue and one redemption may cost when nobody shares a commit with them: pages of 4 KB
#: in the write-ahead log, the answer, and a share of the checkpoints. Every index with a key of its own costs a page.
LIMITS = {"issue": (32_000, 23), "redeem": (58_000, 37)}


@pytest.fixture(scope="module")
def demo():
    server = instance.Demo("--no-limits")
    yield server
    server.alive_or_fail()
    assert server.stop() == 0


def written(demo) -> tuple[int, int]:
    """Bytes and calls of write so far."""
    lines = Path(f"/proc/{demo.popen.pid}/io").read_text().splitlines()
    counts = {name: int(count) for name, count in (line.split(": ") for line in lines)}
    return counts["wchar"], counts["syscw"]


def test_an_issue_and_a_redemption_write_few_pages(demo):
    users = [f"user-{number}" for number in range(ROUNDS)]
    # Users, connections and prepared statements are there before anything is counted.
    for user in users:
        assert demo.redeem(demo.issue(user)["token"]).status == 303
    marks = [written(demo)]
    tokens = [demo.issue(user)["token"] for user in users]
    marks.append(written(demo))
    for token in tokens:
        assert demo.redeem(token).status == 303
    marks.append(written(demo))
    for (what, limits), before, after in zip(LIMITS.items(), marks, marks[1:]):
        spent = [(new - old) / ROUNDS for old, new in zip(before, after)]
        print(f"{what}: {spent[0]:.0f} bytes in {spent[1]:.1f} calls of write")
        assert all(count <= limit for count, limit in zip(spent, limits)), (what, spent, limits)
