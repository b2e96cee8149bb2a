import Bridge
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Synchronization
import Testing
import Tracing

@testable import BridgeHTTP

/// What a request's span says, and what it does not.
@Suite struct RequestSpanTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

    private final class Spans: Sendable {
        private let spans = Mutex<[FinishedSpan]>([])
        var requests: [FinishedSpan] { spans.withLock { $0.filter { $0.attributes.get("http.route") != nil } } }
        func recorder(share: Double) -> SpanRecorder {
            SpanRecorder(share: share) { span in self.spans.withLock { $0.append(span) } }
        }
    }

    private let spans = Spans()

    @Test func `a span has the route's template, method, status and the request's id, and nothing of its address`()
        async throws
    {
        try await TestBridge.run(recorder: spans.recorder(share: 1)) { _, client in
            let answer = try await client.send(.get, "/api/auth/sso-tokens/Sekret?token=Sekret")
            let span = try #require(spans.requests.first)
            #expect(span.name == "GET /api/auth/sso-tokens/{id}")
            #expect(
                span.attributes == [
                    "http.request.method": "GET", "http.route": "/api/auth/sso-tokens/{id}",
                    "http.response.status_code": 401,
                    "drawbridge.request_id": .string(try #require(answer.headers[.name("X-Request-Id")])),
                ])
            #expect(!span.hasFailed)
        }
    }

    @Test func `an unknown path and an unknown method are words of ours`() async throws {
        try await TestBridge.run(recorder: spans.recorder(share: 1)) { _, client in
            _ = try await client.send(.get, "/alice@example.com/Sekret")
            _ = try await client.send(try #require(HTTPRequest.Method("SEKRET")), "/session")
            #expect(spans.requests.map(\.name).first == "GET unmatched")
            #expect(spans.requests.map(\.name).last?.hasPrefix("other ") == true)
            #expect(!"\(spans.requests)".contains("SEKRET") && !"\(spans.requests)".contains("Sekret"))
        }
    }

    @Test func `a fault of ours fails the span, a refusal does not`() async throws {
        try await TestBridge.run(recorder: spans.recorder(share: 1)) { bridge, client in
            try await bridge.storage.close()
            _ = try await client.send(.post, "/api/auth/create-sso-token", [.authorization: "Bearer alice"])
            _ = try await client.send(.get, "/nowhere")
            #expect(spans.requests.map(\.hasFailed) == [true, false])
        }
    }

    @Test(arguments: [("00", 0), ("01", 1)])
    func `a trusted proxy's word decides, and the log and the span name the same part`(flags: String, count: Int)
        async throws
    {
        try await TestBridge.run(recorder: spans.recorder(share: flags == "00" ? 1 : 0)) { bridge, client in
            let given = "00-\(Self.traceID)-00f067aa0ba902b7-\(flags)"
            _ = try await client.send(.get, "/session", [.name("traceparent"): given])
            bridge.accessLog.flush()
            #expect(bridge.logLines.text.contains(#""trace_id":"\#(Self.traceID)""#))
            #expect(spans.requests.count == count)
            for span in spans.requests {
                #expect(span.trace.traceID == Self.traceID && span.parentID == "00f067aa0ba902b7")
                #expect(bridge.logLines.text.contains(#""span_id":"\#(span.trace.spanID)""#))
            }
        }
    }

    @Test func `a request that is not chosen is in no trace`() async throws {
        try await TestBridge.run(recorder: spans.recorder(share: 0)) { bridge, client in
            _ = try await client.send(.get, "/session")
            bridge.accessLog.flush()
            #expect(!bridge.logLines.text.contains("trace_id"))
            #expect(spans.requests.isEmpty)
        }
    }
}
