import Synchronization
import Testing
import TestSupport
import Tracing

@testable import Bridge

/// Spans that a test looks at.
final class SpanCollection: Sendable {
    private let spans = Mutex<[FinishedSpan]>([])

    /// In the order in which they ended.
    var all: [FinishedSpan] { spans.withLock { $0 } }

    func recorder(share: Double = 1) -> SpanRecorder {
        SpanRecorder(share: share) { span in self.spans.withLock { $0.append(span) } }
    }

    subscript(name: String) -> FinishedSpan? { all.first { $0.name == name } }
}

/// Which requests are traced, and what gets into their spans.
@Suite struct SpanRecorderTests {
    private struct Quoting: Error, CustomStringConvertible {
        var description: String { "the password Sekret is wrong" }
    }

    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

    private static func caller(sampled: Bool) throws -> TraceContext {
        try #require(TraceContext(traceparent: "00-\(traceID)-00f067aa0ba902b7-\(sampled ? "01" : "00")"))
    }

    private let collection = SpanCollection()

    @Test func `none of the requests is recorded without a share, and all of them with the whole`() {
        let (none, all) = (collection.recorder(share: 0), collection.recorder(share: 1))
        #expect((0..<100).allSatisfy { _ in none.request(continuing: nil, method: "GET") == nil })
        #expect((0..<100).allSatisfy { _ in all.request(continuing: nil, method: "GET") != nil })
    }

    @Test(arguments: [0.01, 0.5, 0.99])
    func `about the share is recorded, and two servers do not choose alike`(_ share: Double) {
        let draws = [UInt64(1), 2].map { SampleDraw(share: share, seed: $0) }
        let chosen = draws.map { draw in (0..<100_000).map { _ in draw.isNextChosen() } }
        for one in chosen {
            // Four standard deviations of a fair draw.
            let spread = 4 * (100_000 * share * (1 - share)).squareRoot()
            #expect(abs(Double(one.count { $0 }) - 100_000 * share) < spread)
        }
        #expect(chosen[0] != chosen[1])
    }

    @Test func `a draw chooses by the numbers of SplitMix64, one after the other`() {
        let draw = SampleDraw(share: 0.25, seed: 7)
        var numbers = SplitMix64(seed: 7)
        for _ in 0..<1000 { #expect(draw.isNextChosen() == (numbers.next() < UInt64(1) << 62)) }
    }

    @Test func `many threads at once choose as many as one alone`() async {
        let (draw, alone) = (SampleDraw(share: 0.5, seed: 7), SampleDraw(share: 0.5, seed: 7))
        let together = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { (0..<10_000).count { _ in draw.isNextChosen() } } }
            return await group.reduce(0, +)
        }
        #expect(together == (0..<80_000).count { _ in alone.isNextChosen() })
    }

    @Test func `what a trusted caller decided holds, whatever the share`() throws {
        #expect(
            collection.recorder(share: 1).request(continuing: try Self.caller(sampled: false), method: "GET") == nil)
        let span = try #require(
            collection.recorder(share: 0).request(continuing: try Self.caller(sampled: true), method: "GET"))
        span.end()
        #expect(collection.all.map(\.trace.traceID) == [Self.traceID])
        #expect(collection.all.map(\.parentID) == ["00f067aa0ba902b7"])
    }

    @Test func `a step of a recorded request is a child of it, and a step of the step of that`() async throws {
        let request = try #require(collection.recorder().request(continuing: nil, method: "GET"))
        await InstrumentationContext.$current.withValue(request.context) {
            await TraceStep.commit.run { outer in
                await TraceStep.fetch.run { inner in #expect(inner != nil && inner !== outer) }
            }
        }
        request.end()
        let (commit, fetch) = (try #require(collection["store commit"]), try #require(collection["issuer fetch"]))
        #expect(collection.all.map(\.name) == ["issuer fetch", "store commit", "GET"])
        #expect(commit.parentID == request.trace.spanID && fetch.parentID == commit.trace.spanID)
        #expect(Set(collection.all.map(\.trace.traceID)).count == 1)
        #expect(collection.all[2].parentID == nil)
    }

    @Test func `outside of a recorded request a step is what it does`() async throws {
        let value = await TraceStep.commit.run { span in span == nil ? 7 : 0 }
        let passing = InstrumentationContext(passingOn: try Self.caller(sampled: false))
        let other = await InstrumentationContext.$current.withValue(passing) {
            await TraceStep.commit.run { span in span == nil ? 7 : 0 }
        }
        #expect(value == 7 && other == 7)
        #expect(collection.all.isEmpty)
    }

    @Test func `attributes that are no facts, events and texts of errors are left out`() throws {
        let recorder = collection.recorder()
        #expect(throws: Quoting.self) {
            try recorder.withSpan("step") { span in
                span.attributes["url.query"] = "token=Sekret"
                span.attributes["http.route"] = "/session"
                span.addEvent(SpanEvent(name: "Sekret"))
                span.setStatus(SpanStatus(code: .error, message: "Sekret"))
                span.recordError(Quoting(), attributes: ["exception.message": "Sekret"])
                throw Quoting()
            }
        }
        let span = try #require(collection["step"])
        #expect(span.attributes == ["http.route": "/session", "error.type": "Quoting"])
        #expect(span.hasFailed)
        #expect(!"\(span)".contains("Sekret"))
    }

    @Test func `a span ends once, and not before it began`() throws {
        let span = try #require(collection.recorder().request(continuing: nil, method: "GET"))
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1))
        span.end()
        #expect(collection.all.count == 1)
        #expect(collection.all.allSatisfy { $0.endedAt == $0.startedAt && $0.startedAt > 1 })
        #expect(!span.isRecording)
    }

    @Test func `a journey goes on in the trace that began it, linked with the request that it goes on in`()
        async throws
    {
        let recorder = collection.recorder()
        let journey = try Self.caller(sampled: true)
        let request = try #require(recorder.request(continuing: nil, method: "GET"))
        await InstrumentationContext.$current.withValue(request.context) {
            await recorder.run(.redeem, continuing: journey) { $0.note(.outcome, "opened") }
        }
        request.end()
        let step = try #require(collection["redeem login token"])
        #expect(step.trace.traceID == Self.traceID && step.parentID == journey.spanID)
        #expect(step.links == [request.trace])
        #expect(collection["GET"]?.links == [step.trace])
    }

    @Test func `the library's propagation writes and reads traceparent`() throws {
        struct Fields: Injector, Extractor {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        }
        let recorder = collection.recorder()
        var (carrier, context): ([String: String], InstrumentationContext) = ([:], .topLevel)
        recorder.inject(.topLevel, into: &carrier, using: Fields())
        #expect(carrier.isEmpty)
        recorder.inject(
            InstrumentationContext(passingOn: try Self.caller(sampled: true)), into: &carrier, using: Fields())
        recorder.extract(carrier, into: &context, using: Fields())
        #expect(context.trace == (try Self.caller(sampled: true)))
    }
}
