import Bridge
import Foundation
import HTTPTypes
import OAuth2
import Synchronization
import Testing
import Tracing

@testable import Federation

/// How spans wait, what they are sent as, and what a receiver's answer means.
@Suite struct OTLPTests {
    private static let source = SpanSource(node: "node-1", version: "1.0")

    /// Spans that a recorder made.
    private static func spans(_ count: Int, _ change: (RecordedSpan) -> Void = { _ in }) -> [FinishedSpan] {
        let made = Mutex<[FinishedSpan]>([])
        let recorder = SpanRecorder(share: 1) { span in made.withLock { $0.append(span) } }
        for _ in 0..<count {
            guard let span = recorder.request(continuing: nil, method: "GET") else { continue }
            change(span)
            span.end()
        }
        return made.withLock { $0 }
    }

    private static func object(_ value: Any?, _ path: String...) -> Any? {
        path.reduce(value) { value, name in
            Int(name).map { (value as? [Any])?[$0] } ?? (value as? [String: Any])?[name]
        }
    }

    @Test func `a span is what OTLP's JSON mapping says`() throws {
        let other = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let spans = Self.spans(1) { span in
            span.operationName = "GET /session"
            span.note(.route, "/session")
            span.note(.status, 503)
            span.addLink(SpanLink(context: InstrumentationContext(passingOn: other), attributes: [:]))
            span.fail()
        }
        let made = try #require(spans.first)
        let message = try JSONSerialization.jsonObject(with: Data(OTLPMessage.encode(spans, from: Self.source)))
        let span = Self.object(message, "resourceSpans", "0", "scopeSpans", "0", "spans", "0") as? NSDictionary
        #expect(
            span == [
                "traceId": made.trace.traceID, "spanId": made.trace.spanID, "name": "GET /session", "kind": 2,
                "startTimeUnixNano": "\(made.startedAt)", "endTimeUnixNano": "\(made.endedAt)",
                "attributes": [
                    ["key": "http.response.status_code", "value": ["intValue": "503"]],
                    ["key": "http.route", "value": ["stringValue": "/session"]],
                ],
                "links": [["traceId": other.traceID, "spanId": other.spanID]], "status": ["code": 2],
            ] as NSDictionary)
        let resource = Self.object(message, "resourceSpans", "0", "resource", "attributes") as? [NSDictionary]
        #expect(
            resource?.map { $0["key"] as? String }
                == ["service.name", "service.version", "service.instance.id"])
    }

    @Test func `the queue keeps the oldest spans and counts what it has no room for`() {
        let rings = Atomic(0)
        let queue = SpanQueue { rings.add(1, ordering: .relaxed) }
        let spans = Self.spans(SpanQueue.capacity + 3)
        for span in spans { queue.add(span) }
        #expect(rings.load(ordering: .relaxed) == SpanQueue.capacity / SpanQueue.batchSize)
        var taken: [String] = []
        while case let batch = queue.takeBatch(), !batch.isEmpty {
            #expect(batch.count <= SpanQueue.batchSize)
            taken += batch.map(\.trace.spanID)
        }
        #expect(taken == spans.prefix(SpanQueue.capacity).map(\.trace.spanID))
        #expect(queue.takeDropped() == 3)
        #expect(queue.takeDropped() == 0)
    }

    @Test func `a receiver's answer says whether to send again`() async throws {
        try await IssuerServer.run { server, origin in
            func delivery(_ answer: IssuerServer.Answer, authorization: String? = nil) async -> SpanDelivery {
                server.answer("/v1/traces", with: answer)
                return await OTLPReceiver(
                    url: origin + "/v1/traces", authorization: authorization.map { Secret($0) }, source: Self.source
                ).send(Self.spans(1), within: .seconds(60))
            }
            #expect(await delivery(.init(), authorization: "Bearer abc") == .taken(rejected: 0))
            #expect(
                await delivery(.init(body: Array(#"{"partialSuccess":{"rejectedSpans":"1"}}"#.utf8)))
                    == .taken(rejected: 1))
            #expect(await delivery(.init(status: .tooManyRequests)) == .later(after: nil))
            #expect(await delivery(.init(status: .serviceUnavailable)) == .later(after: nil))
            #expect(await delivery(.init(status: .badRequest)) == .refused(400))
            // Whoever redirects would choose whom we post to.
            #expect(await delivery(.init(status: .found, location: origin + "/other")) == .refused(302))
            #expect(server.received.map(\.authorization).prefix(2) == ["Bearer abc", nil])
            #expect(server.count(of: "/other") == 0)
        }
    }

    @Test func `a receiver that hangs, trickles or is not there gets the spans later`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/hangs", with: .init(hangs: true))
            server.answer("/trickles", with: .init(trickles: true))
            for url in [origin + "/hangs", origin + "/trickles", "http://127.0.0.1:9/v1/traces"] {
                let receiver = OTLPReceiver(url: url, authorization: nil, source: Self.source)
                #expect(await receiver.send(Self.spans(1), within: .milliseconds(200)) == .later(after: nil))
            }
        }
    }

    @Test(arguments: [
        (#"{}"#, 0), (#"{"partialSuccess":{}}"#, 0), (#"{"partialSuccess":{"rejectedSpans":4}}"#, 4),
        (#"{"partialSuccess":{"rejectedSpans":"-4"}}"#, 0), ("", 0), ("<html>", 0),
    ])
    func `rejected spans are read from whatever comes`(answer: String, count: Int) {
        #expect(OTLPMessage.rejected(in: Array(answer.utf8)) == count)
    }

    @Test func `a fetch is a step with the host and the status, and the issuer is told its id`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/keys", json: Array("{}".utf8))
            let made = Mutex<[FinishedSpan]>([])
            let recorder = SpanRecorder(share: 1) { span in made.withLock { $0.append(span) } }
            let request = try #require(recorder.request(continuing: nil, method: "GET"))
            let connection = IssuerConnection(limits: FetchLimits(timeout: .seconds(60)))
            let url = try #require(EndpointURL(origin + "/keys?secret=Sekret"))
            await InstrumentationContext.$current.withValue(request.context) {
                _ = try? await connection.get(url)
            }
            let fetch = try #require(made.withLock { $0 }.first)
            #expect(fetch.name == "issuer fetch" && fetch.parentID == request.trace.spanID)
            #expect(fetch.attributes == ["server.address": "127.0.0.1", "http.response.status_code": 200])
            #expect(server.received.map(\.traceparent) == [fetch.trace.traceparent])
        }
    }
}
