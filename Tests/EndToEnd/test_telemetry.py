"""Traces, as somebody's collector gets them."""

import pytest

import instance
import signing
from collector import Collector
from instance import ISSUE, REDEEM

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
SAMPLED = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
#: All that a span may say (docs/operations.md).
FACTS = {"http.request.method", "http.route", "http.response.status_code", "drawbridge.request_id", "drawbridge.outcome",
         "db.system.name", "server.address", "error.type"}


def settings(collector: Collector, *more: str) -> str:
    lines = ["telemetry:", f"  endpoint: {collector.url}", *more]
    return "\n".join(lines) + "\n"


def test_an_apps_request_and_what_its_link_does_are_one_trace(serve):
    with Collector() as collector:
        server = serve(settings(collector) + "trusted_proxies: [127.0.0.1/32]\n")
        token = server.issue(headers=SAMPLED)["token"]
        # The browser comes by a way of its own and knows nothing of traces.
        landed = server.redeem(token)
        assert landed.status == 303
        assert server.stop() == 0

        (issued,) = collector.named(f"POST {ISSUE}")
        (redeemed,) = collector.named("redeem login token")
        assert {span["traceId"] for span in collector.spans} == {TRACE}
        assert issued["parentSpanId"] == CALLER and redeemed["parentSpanId"] == issued["spanId"]
        assert redeemed["facts"] == {"drawbridge.outcome": "opened"}
        commits = {span["parentSpanId"] for span in collector.named("store commit")}
        assert commits == {issued["spanId"], redeemed["spanId"]}
        assert issued["facts"]["http.response.status_code"] == "200" and issued["kind"] == 2
        assert issued["facts"]["http.route"] == ISSUE
        # The log's line of the request has the same two ids.
        (line,) = [line for line in server.json_lines() if line.get("route") == ISSUE]
        assert (line["trace_id"], line["span_id"]) == (TRACE, issued["spanId"])
        assert line["request_id"] == issued["facts"]["drawbridge.request_id"]


def test_the_share_decides_for_requests_without_a_trace_and_a_stranger_for_none(serve):
    with Collector() as collector:
        server = serve(settings(collector, "  sample: 1"))
        # Not from a trusted proxy, so this is no trace at all: neither joined nor left out.
        server.send("GET", "/session", {"traceparent": f"00-{TRACE}-{CALLER}-00"})
        server.redeem("x.y.z")
        server.send("GET", "/account/alice@example.com?token=secret")
        assert server.stop() == 0
        assert TRACE not in collector.text
        names = [span["name"] for span in collector.spans if span["kind"] == 2]
        assert sorted(names) == [f"GET {REDEEM}", "GET /session", "GET unmatched"]
        assert len({span["traceId"] for span in collector.spans if span["kind"] == 2}) == 3
        resource = collector.resources[0]["resource"]["attributes"]
        assert [one["key"] for one in resource] == ["service.name", "service.version", "service.instance.id"]
        assert all(set(span["facts"]) <= FACTS for span in collector.spans)
        assert "alice@example.com" not in collector.text and "secret" not in collector.text


@pytest.mark.parametrize("share", ["", "  sample: 0"])
def test_nothing_is_sent_and_tokens_say_nothing_where_no_request_is_recorded(serve, share):
    with Collector() as collector:
        server = serve(settings(collector, *([share] if share else [])) + "trusted_proxies: [127.0.0.1/32]\n")
        answer = server.issue(headers={"traceparent": f"00-{TRACE}-{CALLER}-00"})
        assert "trace" not in signing.claims_of(answer["token"])
        assert server.redeem(answer["token"]).status == 303
        assert server.stop() == 0
        assert collector.headers == []


def test_a_collector_that_is_away_holds_nobody_up_and_gets_the_spans_when_it_is_back(serve, tmp_path):
    header = tmp_path / "otel-token"
    header.touch(mode=0o600)
    header.write_text("Bearer collector-secret\n")
    with Collector(statuses=[503]) as collector:
        server = serve(settings(collector, "  sample: 1", f"  authorization_file: {header}"))
        for _ in range(3):
            assert server.send("GET", "/session").status == 200
        # Its timer sends, is refused, and the end of the server tries again.
        instance.wait_until(lambda: collector.headers, 15, "the first try")
        metrics = server.metrics_page()
        assert 'drawbridge_spans_dropped_total{reason="queue_full"} 0' in metrics
        assert "# HELP drawbridge_spans_sent_total" in metrics
        assert server.stop() == 0
        assert len(collector.named("GET /session")) == 3
        assert {head["Authorization"] for head in collector.headers} == {"Bearer collector-secret"}
        assert {head["path"] for head in collector.headers} == {"/v1/traces"}
        assert "collector-secret" not in server.output


def test_a_server_without_an_endpoint_passes_a_trace_on_and_records_none(serve):
    server = serve("trusted_proxies: [127.0.0.1/32]\n")
    answer = server.issue(headers=SAMPLED)
    assert "trace" not in signing.claims_of(answer["token"])
    assert "drawbridge_spans" not in server.metrics_page()
    assert server.stop() == 0
    (line,) = [line for line in server.json_lines() if line.get("route") == ISSUE]
    assert line["trace_id"] == TRACE and line["span_id"] != CALLER


def test_check_config_asks_the_collector_and_says_what_it_lacks(tmp_path):
    path = tmp_path / "drawbridge.yaml"

    def said(collector: Collector, *more: str) -> str:
        path.write_text(f"public_origin: http://127.0.0.1:1\ndata_directory: {tmp_path}/data\n" + settings(collector, *more))
        ran = instance.run("check-config", "--online", "--config", str(path), check=False)
        (line,) = [line for line in ran.stdout.decode().splitlines() if "collector of spans" in line]
        return line

    with Collector([401, 404, 415, 503, 302]) as collector:
        for answer in ["401: telemetry.authorization_file", "404: nothing takes spans at this path; OTLP's own is /v1/traces",
                       "415: it takes no JSON", "503: it takes no spans now", "302: it leads elsewhere"]:
            assert said(collector).startswith(f"FAIL  collector of spans: answers with {answer}")
        assert said(collector) == "ok    collector of spans: takes spans"
        assert not collector.spans, "asking sends none"
    assert said(collector) == "FAIL  collector of spans: nobody listens there now"


def test_an_endpoint_with_a_password_is_refused_without_telling_it():
    done = instance.run("check-config", "--public-origin", "https://www.example.com",
                        "--telemetry-endpoint", "https://user:Sekret@otel.example.com/v1/traces", check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 1
    assert "telemetry.endpoint" in said and "must be an https or http URL without user or query" in said
    assert "Sekret" not in said
