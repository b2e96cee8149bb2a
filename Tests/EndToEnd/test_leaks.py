"""No secret is ever written down: every route with marker secrets, then a search through all that was written."""

import base64
import sqlite3
import uuid
from urllib.parse import quote

import instance
import signing
import wire
from collector import Collector
from instance import REDEEM
from wire import NAVIGATION, OTHER_BROWSER, SAFARI

MARKER = "Sekret"


def marker() -> str:
    """Looks like nothing else in the output, and is long enough for a code verifier."""
    return f"{MARKER}{uuid.uuid4().hex}{uuid.uuid4().hex}"[:60]


def walk_every_route(demo) -> set[str]:
    """Uses everything that is secret at least once, well and badly; returns it."""
    secrets = {demo.facts["trusted_issuer"]["hmac_secret"]}
    secrets |= {client["client_secret"] for client in demo.facts["clients"] if client.get("client_secret")}
    secrets |= {user["password"] for user in demo.facts["users"] if user.get("password")}

    def keep(text: str) -> str:
        secrets.add(text)
        return text

    def issue(sub="alice", **fields) -> dict:
        bearer = keep(demo.bearer(sub))
        answer = demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}, fields or None)
        assert answer.status == 200
        keep(answer.json()["token"])
        return answer.json()

    verifier = keep(marker())
    # The road, by every carrier
    token = issue(redirect="/account/x?state=" + keep(marker()))
    cookie = keep(demo.redeem(token["token"]).cookies[wire.SESSION_COOKIE].value)
    for path in ["/session", "/auth/check", "/contacts", "/account/x?q=" + keep(marker()), "/session/logout", "/"]:
        demo.send("GET", path, {"Cookie": f"{wire.SESSION_COOKIE}={cookie}"})
    demo.redeem(token["token"], OTHER_BROWSER)
    keep(demo.send("GET", REDEEM, {"Drawbridge-Login-Token": issue()["token"]}).cookies[wire.SESSION_COOKIE].value)
    challenged = issue(code_challenge=signing.challenge(verifier), code_challenge_method="S256")["token"]
    demo.redeem(challenged, code_verifier=keep(marker()))
    body = wire.encode({"token": challenged, "code_verifier": verifier})
    keep(demo.send("POST", REDEEM, {"User-Agent": SAFARI}, body).cookies[wire.SESSION_COOKIE].value)
    # The confirm page and the switch page, whose forms carry form tokens
    page = demo.redeem(issue()["token"], {"User-Agent": SAFARI})
    for cookie in page.cookies.values():
        keep(cookie.value)
    alice = demo.sign_in("alice")
    keep(alice.partition("=")[2])
    switch = demo.redeem(issue("bob")["token"], {**NAVIGATION, "Cookie": alice})
    for form in wire.PageForm(page.text).forms + wire.PageForm(switch.text).forms:
        secrets.update(value for value in form["fields"].values() if len(value) >= 24)
    # Revoked, expired, malformed
    revoked = issue(ttl=1)
    demo.send("DELETE", f"/api/auth/sso-tokens/{revoked['id']}", demo.authorization())
    demo.redeem(revoked["token"])
    demo.redeem(keep(marker()))
    demo.redeem(token["token"][:-3] + "AAA")
    twice = f"token={keep(marker())}&token={keep(marker())}"
    demo.send("GET", f"{REDEEM}?{twice}&redirect=%2Faccount%2Fx%3F{keep(marker())}", NAVIGATION)
    # Encoded once too often, so that the delimiters ahead of a secret are letters and digits of the path
    for path in [f"/x%3Fs%3D{cookie}", f"/l%3Ftoken%3D{token['token']}", f"/x.{cookie}"]:
        demo.redeem(issue()["token"], redirect=path)
    # Secrets in places where they do not belong
    for method, target in [
        ("GET", "/nowhere"), ("POST", "/session/logout"), ("GET", "/session"), ("GET", "/auth/check"),
        ("POST", instance.ISSUE), ("GET", "/api/auth/sso-tokens/x"), ("GET", "/assets/x.js"),
    ]:
        query = f"?token={keep(marker())}&code_verifier={keep(marker())}&access_token={keep(marker())}"
        headers = {"Authorization": f"Bearer {keep(marker())}", "Cookie": f"{wire.SESSION_COOKIE}={keep(marker())}",
                   "Drawbridge-Login-Token": keep(marker()), "Referer": f"{demo.base}{REDEEM}?token={keep(marker())}",
                   "Idempotency-Key": keep(marker())}
        demo.send(method, target + query, headers, {"token": keep(marker())} if method == "POST" else None)
    demo.send("POST", instance.ISSUE, demo.authorization(), {keep(marker()): keep(marker())})
    demo.send("POST", instance.ISSUE, demo.authorization(), b'{"ttl":"' + keep(marker()).encode() + b'"')
    demo.send("POST", instance.ISSUE, {**demo.authorization(), "Content-Type": keep(marker()) + "/x"}, b"x")
    demo.send("POST", instance.ISSUE, {**demo.authorization(), "Idempotency-Key": keep(marker())})
    demo.send("POST", instance.ISSUE, {"Authorization": f"Basic {keep(base64.b64encode(marker().encode()).decode())}"})
    demo.send("POST", "/session/logout", {"Cookie": alice, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    return secrets


def traces(secret: str) -> set[str]:
    """The secret as it might have been written: whole, quoted, or by the part that makes a JWT secret."""
    found = {secret, quote(secret, safe="")}
    if secret.count(".") == 2 and len(secret.rpartition(".")[2]) >= 20:
        found.add(secret.rpartition(".")[2])
    return found


def find(secrets: set[str], places: dict[str, str]) -> list[tuple]:
    return [(place, text[max(0, text.index(trace) - 60):text.index(trace) + 12])
            for place, text in places.items() for secret in secrets for trace in traces(secret) if trace in text]


def columns(demo) -> dict[str, str]:
    found = {}
    with sqlite3.connect(f"file:{demo.data}/drawbridge.sqlite?mode=ro", uri=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor:
                for name, value in zip(names, row):
                    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                    found[f"{table}.{name}"] = found.get(f"{table}.{name}", "") + text + "\n"
    assert "audit_event.type" in found and "web_session.login_token_id" in found
    return found


def test_no_secret_is_written_or_sent_anywhere(start_demo):
    with Collector() as collector:
        demo = start_demo("--no-limits", "--traces", collector.url)
        secrets = walk_every_route(demo)
        assert len(secrets) > 60 and all(len(secret) >= 8 for secret in secrets), [s for s in secrets if len(s) < 8]
        metrics = demo.metrics_page()
        database = columns(demo)
        assert demo.stop() == 0
    export = instance.run("audit", "export", "--data", str(demo.data)).stdout.decode()
    for kind in ["login_token.redeemed", "login_token.replayed", "redirect.refused"]:
        assert kind in export, "the search must have something to read"

    logs = "\n".join(line for line in demo.output.splitlines() if '"base_url"' not in line)
    assert REDEEM in logs, "the search must have something to read"
    spans = collector.text
    names = {span["name"] for span in collector.spans}
    assert {f"GET {REDEEM}", f"POST {instance.ISSUE}", "redeem login token", "store commit"} <= names
    written = {"logs": logs, "metrics": metrics, "export": export, "spans": spans}
    assert not find(secrets, {**written, **database})
    assert MARKER not in "".join(written.values())
    for place, text in written.items():
        for word in ("token=", "code_verifier=", "Bearer ey", "__Host-drawbridge_session=", "eyJhbGciOi"):
            assert word not in text, (place, word)
    # Who users are and what browsers they have is for the audit log.
    people = {user["sub"] for user in demo.facts["users"]} | {"alice", "bob", "127.0.0.1", SAFARI}
    assert not find(people, {"spans": spans})


def test_the_search_would_find_one():
    secret = signing.jwt({"sub": "x"}, b"k", {"alg": "HS256"})
    assert find({secret}, {"log": f'{{"path":"/x","error":"{secret}"}}'})
    assert find({secret}, {"log": secret.rpartition(".")[2]})
    assert find({"a b/c"}, {"log": "a%20b%2Fc"})
