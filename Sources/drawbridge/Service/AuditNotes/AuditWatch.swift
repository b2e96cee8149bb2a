import Bridge
import BridgeHTTP
import CoreMetrics
import Metrics
import Synchronization

/// What is known to be wrong with the audit log, and with keeping notes of it: for `/readyz` and metrics.
final class AuditWatch: Sendable {
    private struct State {
        var contradictions: [AuditVerificationReport.Problem] = []
        var toldGroups: Set<AuditVerificationReport.Problem.Group> = []
        var refusedCuts: [AuditVerificationReport.Problem] = []
        var fileProblem: String?
        /// Why the log could not be compared with its notes the last time.
        var comparisonProblem: String?
    }

    private let state = Mutex(State())

    /// What contradicts the notes that were kept outside of the database.
    var contradictions: [AuditVerificationReport.Problem] { state.withLock { $0.contradictions } }

    func note(contradictions found: [AuditVerificationReport.Problem]) {
        state.withLock { $0.contradictions = found }
    }

    /// The contradictions of which the log has an event; one that has gone may be reported again.
    var toldGroups: Set<AuditVerificationReport.Problem.Group> {
        get { state.withLock { $0.toldGroups } }
        set { state.withLock { $0.toldGroups = newValue } }
    }

    /// What kept retention from removing old events.
    /// - Returns: whether it is something else than before.
    func note(refusedCuts found: [AuditVerificationReport.Problem]) -> Bool {
        state.withLock { state in
            defer { state.refusedCuts = found }
            return state.refusedCuts != found
        }
    }

    /// - Returns: whether the file was well before.
    @discardableResult
    func noteFile(problem: String?) -> Bool {
        state.withLock { state in
            defer { state.fileProblem = problem }
            return state.fileProblem == nil
        }
    }

    /// - Parameter problem: `nil` when the log was compared.
    func noteComparison(problem: String?) { state.withLock { $0.comparisonProblem = problem } }

    /// Optional checks: a log that was tampered with is a reason to look, not to refuse every sign-in.
    var checks: [Readiness.Check] {
        [
            Readiness.Check("audit_log", isOptional: true) { [self] in
                let problems = problems
                if problems > 0 { throw StorageError.corrupt("\(problems) contradictions") }
            },
            Readiness.Check("audit_checkpoints", isOptional: true) { [self] in
                if let problem = noteProblem { throw StorageError.unavailable(problem) }
            },
        ]
    }

    func record(to metrics: any MetricsFactory) {
        Gauge(label: "drawbridge_audit_log_problems", factory: metrics).record(problems)
        Gauge.degraded("audit_checkpoints", in: metrics).record(noteProblem == nil ? 0 : 1)
    }

    private var problems: Int { state.withLock { $0.contradictions.count + $0.refusedCuts.count } }

    /// Why notes cannot be kept, or the log cannot be compared with them.
    private var noteProblem: String? { state.withLock { $0.fileProblem ?? $0.comparisonProblem } }
}
