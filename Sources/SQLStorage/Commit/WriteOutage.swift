import Bridge
import Logging
import Synchronization

/// Whether the engine refuses what requests write, as on a full disk, or its file is damaged (SQLite): `/readyz` says so,
/// and the log once an outage.
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
        /// When a request last met damage.
        var lastDamage: ContinuousClock.Instant?
        /// It ends with this process at the earliest: nothing else puts another file in the place of one that is in use.
        var isDamageTold = false
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
        guard let failure = error as? SQLError, let code = failure.writeRefusal else { return }
        guard failure.kind != .corrupt else { return noteDamage(error) }
        let now = time.uptime()
        let isFirst = state.withLock { state in
            state.lastFailure = now
            state.isFailing = true
            defer { state.isTold = true }
            return !state.isTold
        }
        if isFirst { logger.error("the database cannot be written", metadata: ["code": "\(code)"]) }
    }

    /// Notes that a request met damage, if that is what it failed for. That other rows can be read and written says
    /// nothing of these.
    func noteDamage(_ error: any Error) {
        guard tellDamage(error) else { return }
        let now = time.uptime()
        state.withLock { $0.lastDamage = now }
    }

    /// Has the log say that the file is damaged, if that is what something failed for.
    /// - Returns: whether it is.
    @discardableResult
    func tellDamage(_ error: any Error) -> Bool {
        guard let failure = error as? SQLError, failure.kind == .corrupt, let code = failure.writeRefusal else {
            return false
        }
        let isFirst = state.withLock { state in
            defer { state.isDamageTold = true }
            return !state.isDamageTold
        }
        if isFirst {
            logger.error(
                "the database is damaged: keep a copy of its file, and restore a backup", metadata: ["code": "\(code)"])
        }
        return true
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

    /// - Throws: ``StorageError`` while requests most likely cannot be written, or meet damage.
    func check() throws {
        let (isFailing, isDamaged) = state.withLock { state in
            (state.isFailing && isRecent(state.lastFailure), isRecent(state.lastDamage))
        }
        if isDamaged { throw StorageError.corrupt("what requests read is damaged", because: .damage) }
        if isFailing { throw StorageError.unavailable("what requests write is refused") }
    }

    private func isRecent(_ failure: ContinuousClock.Instant?) -> Bool {
        failure.map { time.uptime() - $0 < Self.memory } ?? false
    }
}
