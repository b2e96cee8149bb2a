"""A server whose embedded database has a page that cannot be read."""

import wire
from damage import overwrite_page
from instance import ISSUE, wait_until


def gauge(server, name: str) -> list[float]:
    lines = wire.send(server.management, "GET", "/metrics").text.splitlines()
    return [float(line.removeprefix(f"{name} ")) for line in lines if line.startswith(f"{name} ")]


def test_a_request_that_meets_damage_takes_the_server_out_and_the_log_says_what_it_is(serve):
    server = serve()
    assert gauge(server, 'drawbridge_ready{check="storage"}') == [1]
    assert server.stop() == 0
    overwrite_page(server.data / "drawbridge.sqlite", "login_token_use")
    server.start()
    answers = [server.send("POST", ISSUE, {"Authorization": f"Bearer {server.bearer()}"}) for _ in range(2)]
    assert [answer.status for answer in answers] == [500, 500]
    # What was found within the last second holds that long.
    wait_until(lambda: wire.send(server.management, "GET", "/readyz").status == 503, 30, "the storage to be unfit")
    answer = wire.send(server.management, "GET", "/readyz")
    assert (answer.status, answer.json()["checks"]["storage"]) == (503, "failed")
    assert gauge(server, 'drawbridge_ready{check="storage"}') == [0]
    assert gauge(server, 'drawbridge_ready{check="login_token_key"}') == [1]
    [told] = [line for line in server.json_lines() if line.get("message", "").startswith("the database is damaged")]
    assert told["level"] == "error" and told["code"].startswith("SQLite 11 ") and "restore a backup" in told["message"]
    failed = {line["request_id"]: line for line in server.json_lines() if line.get("message") == "Request failed"}
    assert set(failed) == {answer.header("X-Request-Id") for answer in answers}
    assert {(line["error.type"], line["cause"]) for line in failed.values()} == {("StorageError", "the database is damaged")}
