package import Tracing

/// Decides which requests are traced, and makes their spans.
///
/// Not installed for the whole process (`InstrumentationSystem`): a library that records spans of its own would write
/// addresses with their queries into them, and here nothing but ``SpanFact`` gets into one (ADR-0066).
package final class SpanRecorder: Tracer {
    /// Which requests without a trace of their own begin one.
    private let draw: SampleDraw
    private let random: RandomSource
    private let take: @Sendable (FinishedSpan) -> Void

    /// - Parameters:
    ///   - share: from 0, none, to 1, all.
    ///   - take: given every span when it is over; must return at once.
    package init(
        share: Double, random: RandomSource = .system.buffered(), take: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        draw = SampleDraw(share: share, seed: random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })
        self.random = random
        self.take = take
    }

    /// Begins the span of a request.
    /// - Parameter caller: the trace that a trusted caller says the request is part of; that caller decided whether it
    ///   is recorded.
    /// - Returns: `nil` for a request that is not recorded, which then costs nothing more.
    package func request(continuing caller: TraceContext?, method: String) -> RecordedSpan? {
        guard caller?.isSampled ?? draw.isNextChosen() else { return nil }
        return begin(method, in: caller, kind: .server, at: DefaultTracerClock.now.nanosecondsSinceEpoch)
    }

    /// Runs `body` as a step of a trace that a request of an earlier time began.
    ///
    /// Where this request is recorded as well, each of the two links the other.
    package func run<Value>(
        _ step: TraceStep, continuing journey: TraceContext, isolation: isolated (any Actor)? = #isolation,
        _ body: (RecordedSpan) async throws -> Value
    ) async rethrows -> Value {
        let request = RecordedSpan.current
        return try await withSpan(
            step.rawValue, context: InstrumentationContext(passingOn: journey), ofKind: step.kind
        ) { span in
            if let request {
                span.addLink(request)
                request.addLink(span)
            }
            return try await body(span)
        }
    }

    private func begin(_ name: String, in caller: TraceContext?, kind: SpanKind, at instant: UInt64) -> RecordedSpan {
        let trace = caller?.child(random: random) ?? .begin(random: random)
        return RecordedSpan(
            name: name, kind: kind, trace: trace, parentID: caller?.spanID, startedAt: instant, recorder: self)
    }

    func finished(_ span: FinishedSpan) { take(span) }

    // What the library's interface asks of a tracer.

    /// A span in a trace that is not recorded reaches no receiver.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        begin(operationName, in: context().trace, kind: kind, at: instant().nanosecondsSinceEpoch)
    }

    package func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
            line: line)
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.trace = extractor.extract(key: "traceparent", from: carrier).flatMap { TraceContext(traceparent: $0) }
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
    }

    /// The receiver of the spans decides when to send them.
    package func forceFlush() {}
}
