"""Audit events as the service chains and signs them, written down a second time from docs/audit-format.md.

`drawbridge audit verify` then says whether both mean the same.
"""

import base64
import hashlib
import random
from collections import Counter
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NODE = "filled"
SPAN = 90 * 86_400_000
COLUMNS = ("node", "sequence", "at", "type", "outcome", "reason", "subject", "client_id", "target_client_id", "session_id",
           "token_id", "address", "user_agent", "request_id", "detail", "previous_hash", "hash")
AGENTS = [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 "
    "Safari/604.1",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
]
# Of a thousand visits: how many end otherwise than well.
FAILURES = [("login_token.replayed", "already_used", 4), ("login_token.refused", "expired", 20),
            ("redirect.refused", "not_registered", 3), ("bearer.refused", "expired", 10),
            ("user.sign_in_failed", "password", 15)]


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def field(text) -> bytes:
    if text is None:
        return b"-\n"
    data = str(text).encode()
    return b"%d:%s\n" % (len(data), data)


class Chain:
    """Rows of the table `audit_event`, oldest first, with the counts by minute that go with them."""

    def __init__(self, events: int, now: int, seed: int = 7):
        self.events, self.now, self.random = events, now, random.Random(seed)
        self.subjects = max(10, events // 100)
        self.addresses = max(10, events // 200)
        self.tallies: Counter = Counter()
        # For the queries: values that occur.
        self.samples: list[tuple] = []

    def facts(self):
        """(at, type, outcome, reason, subject, client, target, session, token, address, agent, request) without end."""
        pick = self.random
        step, count = SPAN / self.events, 0
        kinds = [kind for kind in FAILURES for _ in range(kind[2])]
        while True:
            subject = f"user-{pick.randrange(self.subjects)}"
            number = pick.randrange(self.addresses)
            ipv4 = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            address = ipv4 if number % 4 else f"2001:db8:{number:x}::1"
            agent = AGENTS[number % 3]
            session, token = b64(pick.randbytes(16)), b64(pick.randbytes(16))
            dice = pick.randrange(1000)
            types = [("login_token.issued", "success", None), ("login_token.redeemed", "success", None),
                     ("web_session.opened", "success", None), ("web_session.ended", "success", "signed_out")]
            if dice < len(kinds):
                name, reason, _ = kinds[dice]
                types[1:] = [(name, "failure", reason)]
            for name, outcome, reason in types:
                at = int(self.now - SPAN + count * step)
                request = b64(at.to_bytes(6, "big") + pick.randbytes(9))
                count += 1
                yield (at, name, outcome, reason, subject, "demo-app", "demo-site",
                       session if name.startswith("web_session") else None,
                       token if name.startswith("login_token") else None, address, agent, request)

    def rows(self):
        previous, node = b64(bytes(32)), field(NODE)
        fixed: dict = {}
        every = max(1, self.events // 5000)

        def known(text):
            found = fixed.get(text)
            if found is None:
                found = fixed[text] = field(text)
            return found

        facts = self.facts()
        for sequence in range(1, self.events + 1):
            row = next(facts)
            at, name, outcome, reason, subject, client, target, session, token, address, agent, request = row
            text = b"".join((
                b"drawbridge-audit-v1\n", b"43:%s\n" % previous.encode(), node, field(sequence), b"13:%d\n" % at,
                known(name), known(outcome), known(reason), field(subject), known(client), known(target), field(session),
                field(token), field(address), known(agent), field(request), b"-\n"))
            digest = b64(hashlib.sha256(text).digest())
            yield (NODE, sequence, *row, None, previous, digest)
            previous = digest
            self.tallies[at // 60_000 * 60_000, name, outcome, reason or ""] += 1
            if sequence % every == 0:
                self.samples.append(row)


class Signer:
    """C2SP signed notes with the key of `audit-signing-key`."""

    def __init__(self, text: str):
        self.name, key_id, key = text.strip().removeprefix("PRIVATE+KEY+").split("+", 2)
        self.key_id = bytes.fromhex(key_id)
        self.key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(key)[1:])

    def checkpoint(self, size: int, at: int, digest: str) -> tuple:
        """A row of the table `audit_checkpoint`."""
        instant = datetime.fromtimestamp(at // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{at % 1000:03d}Z"
        root = base64.b64encode(base64.urlsafe_b64decode(digest + "=")).decode()
        text = f"{self.name}/{NODE}\n{size}\n{root}\ntime {instant}\n"
        signature = base64.b64encode(self.key_id + self.key.sign(text.encode())).decode()
        return (NODE, size, at, digest, f"{text}\n\u2014 {self.name} {signature}\n")
