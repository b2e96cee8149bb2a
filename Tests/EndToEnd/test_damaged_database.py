"""A server whose embedded database has a page that cannot be read."""

from damage import overwrite_page
from instance import ISSUE


def test_a_request_that_meets_damage_takes_the_server_out_and_the_log_says_what_it_is(serve):
    server = serve()
    assert server.metrics()['drawbridge_ready{check="storage"}'] == 1
    assert server.stop() == 0
    overwrite_page(server.data / "drawbridge.sqlite", "login_token_use")
    server.start()
    answers = [server.send("POST", ISSUE, {"Authorization": f"Bearer {server.bearer()}"}) for _ in range(2)]
    assert [answer.status for answer in answers] == [500, 500]
    # What was found within the last second holds that long.
    server.wait_until_unready()
    said = server.readiness()
    assert (said.status, said.checks["storage"]) == (503, "failed")
    metrics = server.metrics()
    assert metrics['drawbridge_ready{check="storage"}'] == 0
    assert metrics['drawbridge_ready{check="login_token_key"}'] == 1
    [told] = [line for line in server.json_lines() if line.get("message", "").startswith("the database is damaged")]
    assert told["level"] == "error" and told["code"].startswith("SQLite 11 ") and "restore a backup" in told["message"]
    failed = {line["request_id"]: line for line in server.json_lines() if line.get("message") == "request failed"}
    assert set(failed) == {answer.header("X-Request-Id") for answer in answers}
    assert {(line["error.type"], line["cause"]) for line in failed.values()} == {("StorageError", "the database is damaged")}
