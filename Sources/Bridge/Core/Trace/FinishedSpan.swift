package import Tracing

/// One step of a traced request that is over.
package struct FinishedSpan: Sendable {
    package let name: String
    package let kind: SpanKind
    package let trace: TraceContext
    /// The step that it is part of; `nil` for the start of a trace.
    package let parentID: String?
    /// Nanoseconds since 1970.
    package let startedAt: UInt64
    package let endedAt: UInt64
    package let attributes: SpanAttributes
    /// Steps of other traces that this one has to do with.
    package let links: [TraceContext]
    package let hasFailed: Bool
}

/// All that a span may say of its step, by OpenTelemetry's names: from small sets, and about no user.
package enum SpanFact: String, Sendable, CaseIterable {
    case method = "http.request.method"
    /// The template, never the path.
    case route = "http.route"
    case status = "http.response.status_code"
    /// The id that access log and audit log have as well.
    case requestID = "drawbridge.request_id"
    case outcome = "drawbridge.outcome"
    case database = "db.system.name"
    /// The host of an issuer of the settings.
    case server = "server.address"
    /// A type's name, never what an error says.
    case errorType = "error.type"
}
