import Tracing

/// The steps of a request that have a span of their own, by its name.
package enum TraceStep: String, Sendable, CaseIterable {
    /// What a browser's link does in the trace of the app that asked for it.
    case redeem = "redeem login token"
    /// What a browser that comes back from an upstream provider does in the trace of the request that sent it there.
    case upstream = "finish upstream sign-in"
    /// The time from when a write is queued until it is durable.
    case commit = "store commit"
    case replayGuard = "replay guard"
    case rateLimits = "rate limits"
    /// A request to an issuer.
    case fetch = "issuer fetch"

    /// Runs `body` as a step of this task's request; outside of a recorded trace, `body` alone.
    package func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (RecordedSpan?) async throws -> Value
    ) async rethrows -> Value {
        guard let span = RecordedSpan.current else { return try await body(nil) }
        return try await span.recorder.withSpan(rawValue, context: span.context, ofKind: kind) { try await body($0) }
    }

    var kind: SpanKind {
        switch self {
        case .redeem, .upstream: .server
        case .commit: .internal
        case .replayGuard, .rateLimits, .fetch: .client
        }
    }
}
