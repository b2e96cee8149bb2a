package import Logging
import Synchronization

/// A verification of the whole log that goes on by itself, and says how far it is.
package final class AuditVerificationJob: Sendable {
    /// How far a verification is, or its result.
    package enum State: Sendable {
        case none
        /// - Parameter total: how many events there were when it began.
        case running(read: Int, total: Int)
        case done(AuditVerificationReport, at: Timestamp)
        /// The log could not be read.
        /// - Parameter reason: for an operator; quotes nothing that is stored (``StorageError/description``).
        case failed(reason: String)
    }

    private let held = Mutex<State>(.none)

    package init() {}

    package var state: State { held.withLock { $0 } }

    /// Starts it, unless it runs.
    /// - Parameter logger: told why it stopped, where it cannot read the log to its end.
    package func start(
        _ log: any AuditLog, terms: AuditVerificationTerms, total: Int, time: TimeSource, logger: Logger
    ) {
        let isFirst = held.withLock { state in
            if case .running = state { return false }
            state = .running(read: 0, total: total)
            return true
        }
        guard isFirst else { return }
        Task(priority: .utility) { [self] in
            do {
                let report = try await AuditReview(log).verify(terms) { [self] read in
                    held.withLock { $0 = .running(read: read, total: total) }
                }
                held.withLock { $0 = .done(report, at: time.now()) }
            } catch {
                logger.error("the verification of the audit log stopped", metadata: ["error": "\(error)"])
                held.withLock { $0 = .failed(reason: "\(error)") }
            }
        }
    }
}
