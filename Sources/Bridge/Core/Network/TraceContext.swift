/// Where a request stands in a trace over several services (W3C Trace Context, version 00).
///
/// Its ids are in the request's line of the access log and go on to issuers that are asked for it. What else a caller sends
/// (`tracestate`) ends here.
package struct TraceContext: Hashable, Sendable {
    /// Of the request that this task answers; `nil` outside a trace.
    @TaskLocal package static var current: TraceContext?

    /// 32 lower-case hexadecimal digits, the same in every service.
    package let traceID: String
    /// 16 lower-case hexadecimal digits: of this service's part, or of its caller's.
    package let spanID: String
    private let flags: String

    private init(traceID: String, spanID: String, flags: String) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// - Returns: `nil` for what is no `traceparent` (W3C Trace Context §3.2): the request is then in no trace.
    package init?(traceparent text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
        // A later version may have more after the flags; version 00 ends with them.
        guard parts.count >= 4, let first = parts.first, Self.isHex(first, 2), first != "ff",
            first != "00" || parts.count == 4, Self.isHex(parts[1], 32), Self.isHex(parts[2], 16),
            Self.isHex(parts[3], 2), parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        self.init(traceID: parts[1], spanID: parts[2], flags: parts[3])
    }

    /// This service's part of the trace.
    package func child(random: RandomSource) -> TraceContext {
        let digits = Array("0123456789abcdef")
        let id = String(random.bytes(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        return TraceContext(traceID: traceID, spanID: id, flags: flags)
    }

    /// The header's value for a service that is asked next.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func isHex(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
