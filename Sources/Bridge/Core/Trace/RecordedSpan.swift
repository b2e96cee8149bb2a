import Synchronization
package import Tracing

/// One step of a traced request while it goes on.
///
/// The library's interface takes any attribute, event and error text; what is not a ``SpanFact`` is left out, so that a
/// careless caller writes nothing that was told in confidence.
package final class RecordedSpan: Tracing.Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var links: [TraceContext] = []
        var hasFailed = false
        var isOver = false
    }

    /// The innermost one of this task, the request's own where it is in no step.
    package static var current: RecordedSpan? { InstrumentationContext.current?.span }

    package let trace: TraceContext
    let recorder: SpanRecorder
    private let kind: SpanKind
    private let parentID: String?
    private let startedAt: UInt64
    private let state: Mutex<State>

    init(
        name: String, kind: SpanKind, trace: TraceContext, parentID: String?, startedAt: UInt64,
        recorder: SpanRecorder
    ) {
        self.kind = kind
        self.trace = trace
        self.parentID = parentID
        self.startedAt = startedAt
        self.recorder = recorder
        state = Mutex(State(name: name))
    }

    /// What runs in it is part of this step.
    package var context: InstrumentationContext {
        var context = InstrumentationContext(passingOn: trace)
        context.span = self
        return context
    }

    /// Notes something about the step.
    package func note(_ fact: SpanFact, _ value: String) { set(fact, .string(value)) }

    /// Notes something about the step.
    package func note(_ fact: SpanFact, _ value: Int) { set(fact, .int64(Int64(value))) }

    package func fail() { state.withLock { $0.hasFailed = true } }

    private func set(_ fact: SpanFact, _ value: SpanAttribute) {
        state.withLock { $0.attributes.set(fact.rawValue, value: value) }
    }

    // What the library's interface asks of a span.

    package var isRecording: Bool { trace.isSampled && !state.withLock { $0.isOver } }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set {
            var known: SpanAttributes = [:]
            newValue.forEach { name, value in
                if SpanFact(rawValue: name) != nil { known.set(name, value: value) }
            }
            state.withLock { [known] in $0.attributes = known }
        }
    }

    /// Its text is left out: it may quote what a caller sent.
    package func setStatus(_ status: SpanStatus) {
        if case .error = status.code { fail() }
    }

    /// Left out: a step has a start and an end.
    package func addEvent(_ event: SpanEvent) {}

    /// Notes the error's type, and not what it says.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        note(.errorType, String(describing: type(of: error)))
    }

    package func addLink(_ link: SpanLink) {
        guard let trace = link.context.trace else { return }
        state.withLock { $0.links.append(trace) }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let state = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let state, trace.isSampled else { return }
        recorder.finished(
            FinishedSpan(
                name: state.name, kind: kind, trace: trace, parentID: parentID, startedAt: startedAt,
                // The wall clock may be set back meanwhile.
                endedAt: max(startedAt, instant().nanosecondsSinceEpoch), attributes: state.attributes,
                links: state.links, hasFailed: state.hasFailed))
    }
}
