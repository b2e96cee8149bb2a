import Bridge
import Logging
import Synchronization

/// Whether the engine refuses what requests write, as on a full disk: `/readyz` says so, and the log once an outage.
///
/// The row that readiness itself writes tells less: it is written in place, where a new event has no room any more.
final class WriteOutage: Sendable {
    /// For how long a failure counts when nothing is written after it. Load balancers send nothing to a server that is
    /// not ready, so that only time can end that.
    static let memory = Duration.seconds(10)

    private struct State {
        var lastFailure: ContinuousClock.Instant?
        var isFailing = false
        /// Whether the log has its beginning and not its end.
        var isTold = false
    }

    private let state = Mutex(State())
    private let time: TimeSource
    private let logger: Logger

    init(time: TimeSource, logger: Logger) {
        self.time = time
        self.logger = logger
    }

    /// Notes how a batch failed that held a request; counts only what ``SQLError/writeRefusal`` is about.
    func note(_ error: any Error) {
        guard let code = (error as? SQLError)?.writeRefusal else { return }
        let now = time.uptime()
        let isFirst = state.withLock { state in
            state.lastFailure = now
            state.isFailing = true
            defer { state.isTold = true }
            return !state.isTold
        }
        if isFirst { logger.error("the database cannot be written", metadata: ["code": "\(code)"]) }
    }

    /// Notes that new rows of a request are durable.
    func noteSuccess() {
        let isOver = state.withLock { state in
            state.isFailing = false
            // On a disk that is nearly full small writes succeed among others that fail: all that is one outage.
            guard state.isTold, !isRecent(state.lastFailure) else { return false }
            state.isTold = false
            return true
        }
        if isOver { logger.notice("the database can be written again") }
    }

    /// - Throws: ``StorageError`` while requests most likely cannot be written.
    func check() throws {
        let isFailing = state.withLock { $0.isFailing && isRecent($0.lastFailure) }
        if isFailing { throw StorageError.unavailable("what requests write is refused") }
    }

    private func isRecent(_ failure: ContinuousClock.Instant?) -> Bool {
        failure.map { time.uptime() - $0 < Self.memory } ?? false
    }
}
