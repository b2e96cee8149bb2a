import Testing

@testable import Bridge

/// `traceparent` (W3C Trace Context §3.2).
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test func `Trace Context §3.2: a trace goes on under its id, with a part of its own`() throws {
        let caller = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01"))
        let ours = caller.child(random: RandomSource { Array(repeating: 0xAB, count: $0) })
        #expect(ours.traceparent == "00-\(Self.trace)-abababababababab-01")
        #expect(ours.isSampled)
        #expect(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-02")?.isSampled == false)
        #expect(TraceContext(traceparent: "cc-\(Self.trace)-\(Self.span)-00-what-comes")?.traceID == Self.trace)
    }

    @Test(
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more",
            "ff-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-00000000000000000000000000000000-\(span)-01",
            "00-\(trace)-0000000000000000-01", "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)-1",
            "0-\(trace)-\(span)-01",
            "00-\(trace)-\(span)-01\r\nX: y", " 00-\(trace)-\(span)-01", "00-\(trace.dropLast())é-\(span)-01",
        ])
    func `Trace Context §3.2: what is no traceparent is no trace`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}
