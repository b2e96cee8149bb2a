import OAuth2
package import Tracing

/// Where a request stands in a trace over several services (W3C Trace Context, version 00).
///
/// Its ids are in the request's line of the access log and go on to issuers that are asked for it. What else a caller sends
/// (`tracestate`) ends here.
package struct TraceContext: Hashable, Sendable {
    /// This task's context; `nil` outside a trace.
    package static var current: TraceContext? { InstrumentationContext.current?.trace }

    /// 32 lower-case hexadecimal digits, the same in every service.
    package let traceID: String
    /// 16 lower-case hexadecimal digits: this service's span, or its caller's.
    package let spanID: String
    /// Whether its spans are recorded (§3.2.2.5).
    package let isSampled: Bool

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// - Returns: `nil` for what is not a `traceparent` (W3C Trace Context §3.2): the request is then in no trace.
    package init?(traceparent text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
        // A later version may have more after the flags; version 00 ends with them.
        guard parts.count >= 4, let first = parts.first, Self.isHex(first, 2), first != "ff",
            first != "00" || parts.count == 4, Self.isHex(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceID: parts[1], spanID: parts[2], flags: flags)
    }

    /// - Parameter text: what ``journey`` wrote into a token of ours.
    /// - Returns: `nil` for what it never wrote.
    package init?(journey text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2 else { return nil }
        self.init(traceID: parts[0], spanID: parts[1], flags: 1)
    }

    private init?(traceID: String, spanID: String, flags: UInt8) {
        guard Self.isHex(traceID, 32), Self.isHex(spanID, 16), traceID.contains(where: { $0 != "0" }),
            spanID.contains(where: { $0 != "0" })
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1)
    }

    /// A trace that begins here and is recorded.
    package static func begin(random: RandomSource) -> TraceContext {
        TraceContext(traceID: id(16, random), spanID: id(8, random), isSampled: true)
    }

    /// A part of the same trace, with an id of its own.
    package func child(random: RandomSource) -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.id(8, random), isSampled: isSampled)
    }

    /// The header's value for a service that is asked next.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// As a token carries it through a browser. Only what is recorded goes along.
    package var journey: String? { isSampled ? "\(traceID)-\(spanID)" : nil }

    private static func id(_ count: Int, _ random: RandomSource) -> String {
        let bytes = random.bytes(count)
        // Zeros alone are not an id (§3.2.2.3); chance never makes them, a broken generator always does.
        return HexDigit.encode(bytes.allSatisfy { $0 == 0 } ? bytes.map { _ in 1 } : bytes)
    }

    private static func isHex(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy(ASCII.isLowercaseHex)
    }
}

extension InstrumentationContext {
    private enum TraceKey: InstrumentationContextKey { typealias Value = TraceContext }
    private enum SpanKey: InstrumentationContextKey { typealias Value = RecordedSpan }

    /// The trace that what runs in this context belongs to.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }

    /// The step that it is, where that is recorded. It goes with the request, so nothing that has steps must be told who
    /// records them.
    var span: RecordedSpan? {
        get { self[SpanKey.self] }
        set { self[SpanKey.self] = newValue }
    }

    /// The context of a request that is in a trace which is not recorded here.
    package init(passingOn trace: TraceContext) {
        self = .topLevel
        self.trace = trace
    }
}
