import Bridge
import CoreMetrics
import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

@testable import BridgeHTTP

@Suite struct ManagementTests {
    private static func answer(
        _ path: String, checks: [Readiness.Check] = [], method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        let issuer = try #require(WebOrigin("https://id.example"))
        let application = Application(
            router: buildManagementRouter(
                readiness: Readiness(checks: checks), metrics: PrometheusMetrics(), issuer: issuer))
        return try await application.test(.router) { try await $0.send(method, path) }
    }

    @Test func `alive is alive whatever fails`() async throws {
        let failing = Readiness.Check("storage") { throw StorageError.unavailable("disk full") }
        #expect(try await Self.answer("/livez", checks: [failing]).text == #"{"status":"alive"}"#)
    }

    @Test func `ready when all that is needed works`() async throws {
        let answer = try await Self.answer("/readyz", checks: [Readiness.Check("storage") {}])
        #expect(answer.status == .ok)
        #expect(answer.text == #"{"status":"ready","checks":{"storage":"ok"},"degraded":[]}"#)
    }

    @Test func `not ready is 503 and names the check, not the reason`() async throws {
        let failing = Readiness.Check("storage") { throw StorageError.unavailable("disk full") }
        let answer = try await Self.answer("/readyz", checks: [failing])
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.text == #"{"status":"not_ready","checks":{"storage":"failed"},"degraded":[]}"#)
        #expect(answer.headers[.retryAfter] == "1", "contract §11")
    }

    @Test func `something optional that fails degrades`() async throws {
        let failing = Readiness.Check("redis", isOptional: true) { throw StorageError.unavailable("gone") }
        let answer = try await Self.answer("/readyz", checks: [failing])
        #expect(answer.status == .ok)
        #expect(answer.text == #"{"status":"ready","checks":{"redis":"degraded"},"degraded":["redis"]}"#)
    }

    @Test(arguments: ["/livez", "/readyz", "/metrics"])
    func `HEAD is GET without its content, and every other method is told which there are, contract §11`(
        path: String
    ) async throws {
        let (get, head) = (try await Self.answer(path), try await Self.answer(path, method: .head))
        #expect(head.status == get.status)
        #expect(head.headers[.contentType] == get.headers[.contentType])
        #expect(head.text.isEmpty)
        let post = try await Self.answer(path, method: .post)
        #expect(post.status == .methodNotAllowed)
        #expect(post.headers[.allow] == "GET, HEAD, OPTIONS")
        #expect(post.text.hasPrefix(#"{"error":"method_not_allowed","#))
        let options = try await Self.answer(path, method: .options)
        #expect(options.status == .noContent)
        #expect(options.headers[.allow] == "GET, HEAD, OPTIONS")
    }

    @Test func `what is not there has the body of the API's errors, contract §11`() async throws {
        let answer = try await Self.answer("/healthz")
        let id = try #require(answer.headers[.name("X-Request-Id")])
        let uri = "https://id.example/errors/not_found"
        #expect(answer.text.hasPrefix(#"{"error":"not_found","error_description":""#))
        #expect(answer.text.hasSuffix(#","error_uri":"\#(uri)","request_id":"\#(id)"}"#))
    }

    @Test(arguments: ["/livez", "/readyz", "/metrics", "/nowhere"])
    func `every answer has a request id and no sniffing, contract §11`(path: String) async throws {
        let answer = try await Self.answer(path, checks: [])
        #expect(answer.status == (path == "/nowhere" ? .notFound : .ok))
        #expect(answer.headers[.name("X-Request-Id")]?.utf8.count == 20)
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test func `request ids are of the clock and the randomness that the listener was given`() async throws {
        let issuer = try #require(WebOrigin("https://id.example"))
        let now = Timestamp(seconds: 1_763_708_400)
        let random = RandomSource { [UInt8](repeating: 7, count: $0) }
        let application = Application(
            router: buildManagementRouter(
                readiness: Readiness(checks: []), metrics: PrometheusMetrics(), issuer: issuer,
                time: TimeSource { now }, random: random))
        let answer = try await application.test(.router) { try await $0.send(.get, "/livez") }
        #expect(answer.headers[.xRequestID] == RequestID.make(at: now, random: random))
    }

    @Test func `a page of metrics has what is found out for it`() async throws {
        let issuer = try #require(WebOrigin("https://id.example"))
        let metrics = PrometheusMetrics()
        let gauge = Gauge(label: "drawbridge_degraded", dimensions: [("part", "redis")], factory: metrics)
        let application = Application(
            router: buildManagementRouter(
                readiness: Readiness(checks: []), metrics: metrics, issuer: issuer,
                refreshMetrics: { gauge.record(1) }))
        let answer = try await application.test(.router) { try await $0.send(.get, "/metrics") }
        #expect(answer.text.contains(#"drawbridge_degraded{part="redis"} 1"#))
    }

    @Test func `metrics say of each thing that is needed whether it works, by the report that load balancers get`()
        async throws
    {
        let metrics = PrometheusMetrics()
        let isFull = Mutex(true)
        let runs = Mutex(0)
        let readiness = Readiness(
            checks: [
                Readiness.Check("storage") {
                    runs.withLock { $0 += 1 }
                    if isFull.withLock({ $0 }) { throw StorageError.unavailable("disk full") }
                },
                Readiness.Check("node_lease") {},
                Readiness.Check("redis", isOptional: true) { throw StorageError.unavailable("gone") },
            ], time: TimeSource { Timestamp(seconds: 1_763_708_400) })
        func samples() -> [String] {
            metrics.exposition().split(separator: "\n").map(String.init).filter { $0.hasPrefix("drawbridge_ready{") }
        }
        #expect(await readiness.report().failed == ["storage"])
        await readiness.record(to: metrics)
        let storage = #"drawbridge_ready{check="storage"}"#
        let lease = #"drawbridge_ready{check="node_lease"} 1.0"#
        #expect(samples() == [lease, "\(storage) 0.0"])
        isFull.withLock { $0 = false }
        await readiness.record(to: metrics)
        #expect(samples() == [lease, "\(storage) 0.0"], "within the same second")
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func `a server that stops says no more of what it needs than before`() async {
        let metrics = PrometheusMetrics()
        let isAway = Mutex(false)
        let readiness = Readiness(
            checks: [
                Readiness.Check("storage") {
                    if isAway.withLock({ $0 }) { throw StorageError.unavailable("away") }
                }
            ], lifetime: .zero)
        let sample = #"drawbridge_ready{check="storage"}"#
        await readiness.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 1.0\n"))
        isAway.withLock { $0 = true }
        await readiness.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 0.0\n"))
        readiness.stop()
        await readiness.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 0.0\n"), "which would be 1 of a check that did not run")
    }

    @Test func `the checks run once a second at most`() async throws {
        let clock = TestClock()
        let runs = PrometheusMetrics()
        let counter = Counter(label: "runs", dimensions: [], factory: runs)
        let readiness = Readiness(
            checks: [Readiness.Check("storage") { counter.increment() }], time: TimeSource { clock.now })
        for _ in 0..<3 { _ = await readiness.report() }
        #expect(runs.exposition().contains("runs 1\n"))
        clock.advance(by: .seconds(1))
        _ = await readiness.report()
        #expect(runs.exposition().contains("runs 2\n"))
    }

    @Test func `while the checks are slow they run once, however many ask`() async {
        let clock = TestClock()
        let store = SlowStore()
        let readiness = Readiness(
            checks: [Readiness.Check("storage") { try await store.check() }], time: TimeSource { clock.now })
        await withTaskGroup(of: Readiness.Report.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    store.asked.add()
                    return await readiness.report()
                }
            }
            while store.asked.value < 50 || store.checks.value == 0 { await Task.yield() }
            store.answer()
            for await report in group { #expect(report.failed == ["storage"]) }
        }
        #expect(store.checks.value == 1)
        clock.advance(by: .seconds(1))
        _ = await readiness.report()
        #expect(store.checks.value == 2)
    }

    @Test func `a stopping service is not ready`() async {
        let readiness = Readiness(checks: [])
        readiness.stop()
        #expect(await !readiness.report().isReady)
    }
}

/// A store whose answer, that it cannot write, takes until it is told to.
private final class SlowStore: Sendable {
    final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    let asked = Count()
    let checks = Count()
    private let isSlow = Mutex(true)

    func answer() { isSlow.withLock { $0 = false } }

    func check() async throws {
        checks.add()
        while isSlow.withLock({ $0 }) { await Task.yield() }
        throw StorageError.unavailable("full")
    }
}

@Suite struct PrometheusMetricsTests {
    @Test func `counters, gauges and histograms are rendered sorted with escaped labels`() {
        let metrics = PrometheusMetrics()
        Counter(label: "b.total", dimensions: [("why", "a\"b\\c\nd")], factory: metrics).increment(by: 2)
        Meter(label: "a_gauge", factory: metrics).set(1.5)
        CoreMetrics.Timer(label: "c_seconds", dimensions: [("route", "/x")], factory: metrics)
            .recordNanoseconds(3_000_000)
        let text = metrics.exposition()
        #expect(text.hasPrefix("# TYPE a_gauge gauge\na_gauge 1.5\n# TYPE b_total counter\n"))
        #expect(text.contains("b_total{why=\"a\\\"b\\\\c\\nd\"} 2\n"))
        #expect(text.contains("c_seconds_bucket{route=\"/x\",le=\"0.0025\"} 0\n"))
        #expect(text.contains("c_seconds_bucket{route=\"/x\",le=\"0.005\"} 1\n"))
        #expect(text.contains("c_seconds_bucket{route=\"/x\",le=\"+Inf\"} 1\n"))
        #expect(text.contains("c_seconds_sum{route=\"/x\"} 0.003\n"))
        #expect(text.contains("c_seconds_count{route=\"/x\"} 1\n"))
    }

    @Test func `the same series is made once`() {
        let metrics = PrometheusMetrics()
        for _ in 0..<3 { Counter(label: "n", dimensions: [("a", "b")], factory: metrics).increment() }
        #expect(metrics.exposition() == "# TYPE n counter\nn{a=\"b\"} 3\n")
    }

    @Test func `requests are counted by template, never by path`() async throws {
        try await TestBridge.run { bridge, client in
            _ = try await client.send(.get, "/api/auth/sso-tokens/secret-id")
            _ = try await client.send(.get, "/nowhere/at/all")
            _ = try await client.send(HTTPRequest.Method("BREW") ?? .get, "/session")
            let text = bridge.metrics.exposition()
            #expect(text.contains("route=\"/api/auth/sso-tokens/{id}\",status=\"401\""))
            #expect(text.contains("route=\"unmatched\",status=\"404\""))
            #expect(!text.contains("secret-id") && !text.contains("nowhere") && !text.contains("BREW"))
        }
    }
}

@Suite struct AccessLogTests {
    @Test func `one JSON line a request, with the template and without the query`() async throws {
        try await TestBridge.run { bridge, client in
            let answer = try await client.send(
                .get, "/api/auth/sso-tokens/abc?private=1", [.name("X-Forwarded-For"): "203.0.113.9"])
            bridge.accessLog.flush()
            #expect(bridge.logLines.lines.count == 1)
            let line = try #require(
                JSONSerialization.jsonObject(with: Data(bridge.logLines.text.utf8)) as? [String: Any])
            #expect(
                Set(line.keys) == ["time", "route", "method", "status", "duration_ms", "request_id", "address"])
            #expect(line["route"] as? String == "/api/auth/sso-tokens/{id}")
            #expect(line["request_id"] as? String == answer.headers[.name("X-Request-Id")])
            #expect(line["address"] as? String == "203.0.113.9")
            #expect(line["status"] as? Int == 401)
        }
    }

    @Test func `a trusted proxy's trace is in the line, with a span of this service's own`() async throws {
        let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await TestBridge.run { bridge, client in
            for value in [given, "nonsense"] {
                _ = try await client.send(.get, "/session", [.name("traceparent"): value])
            }
            bridge.accessLog.flush()
            let lines = try bridge.logLines.lines.map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(lines.map { $0["trace_id"] as? String } == ["4bf92f3577b34da6a3ce929d0e0e4736", nil])
            let span = try #require(lines[0]["span_id"] as? String)
            #expect(span.count == 16 && span != "00f067aa0ba902b7")
        }
    }

    @Test(arguments: ["BREW", "A!#$%&'*+-.^_`|~", "get"])
    func `a line is JSON whatever the method is`(method: String) async throws {
        try await TestBridge.run { bridge, client in
            let method = try #require(HTTPRequest.Method(method))
            _ = try await client.send(method, "/\"\\\n<x>")
            bridge.accessLog.flush()
            #expect(bridge.logLines.lines.count == 1)
            for line in bridge.logLines.lines {
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            }
        }
    }

    @Test(arguments: [false, true])
    func `every line ends once, whoever it is for`(isForPeople: Bool) {
        let sink = TextSink()
        let writer = LineWriter(name: "test", delay: .never) { bytes in
            sink.append(bytes)
            return true
        }
        let log = AccessLog(to: writer, isForPeople: isForPeople)
        for id in ["first", "second"] {
            log.write(
                at: Timestamp(seconds: 0), route: "/", method: "GET", status: 200, elapsed: .zero, requestID: id,
                address: nil)
        }
        log.flush()
        let lines = sink.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.map { $0.contains("first") } == [true, false, false])
        #expect(lines.map { $0.contains("second") } == [false, true, false])
        #expect(lines.last == "")
    }

    @Test func `lines that a slow sink cannot take are counted, not kept`() throws {
        let sink = TextSink()
        let log = AccessLog(interval: .never) { sink.append($0) }
        let route = String(repeating: "x", count: 1 << 20)
        for _ in 0..<6 {
            log.write(
                at: Timestamp(seconds: 0), route: route, method: "GET", status: 200, elapsed: .zero, requestID: "r",
                address: nil)
        }
        log.flush()
        #expect(sink.text.hasSuffix("\n{\"dropped_lines\":3}\n"))
    }

    @Test func `a sink that takes nothing does not hold up the stop`() async {
        let (release, sink) = (DispatchSemaphore(value: 0), TextSink())
        let log = AccessLog(interval: .never) { bytes in
            release.wait()
            sink.append(bytes)
        }
        log.write(
            at: Timestamp(seconds: 0), route: "/", method: "GET", status: 200, elapsed: .zero, requestID: "r",
            address: nil)
        await log.flush(within: .milliseconds(1))
        #expect(sink.text.isEmpty)
        release.signal()
        await log.flush(within: .seconds(60))
        #expect(sink.lines.count == 1)
    }
}
