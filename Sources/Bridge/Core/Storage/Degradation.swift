package import Logging
import Synchronization

/// Whether a shared part is away and its replacement answers; read by `/readyz` and metrics.
///
/// Errors of a shared part go into the log with their text, so its texts must name no keys and no values.
package final class Degradation: Sendable {
    /// Between two times that the log is told that the same part is away, or why: strangers' requests may be what makes
    /// it come and go.
    static let logPause = Duration.seconds(10)

    private struct State {
        var isActive = false
        /// Whether the log was told that it is away, and not yet that it is back.
        var isTold = false
        /// Why it is away, as the log was told.
        var toldReason: String?
        var toldAt: ContinuousClock.Instant?
    }

    private let part: String
    private let logger: Logger
    private let time: TimeSource
    private let report: @Sendable (_ isDegraded: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - part: its name in the log, such as `rate_limits`.
    ///   - report: called at first and with every change, for metrics; must not ask for ``isDegraded``.
    package init(
        part: String, logger: Logger = Logger(label: "drawbridge.degradation"), time: TimeSource = .system,
        report: @escaping @Sendable (_ isDegraded: Bool) -> Void = { _ in }
    ) {
        self.part = part
        self.logger = logger
        self.time = time
        self.report = report
        report(false)
    }

    package var isDegraded: Bool { state.withLock { $0.isActive } }

    /// The shared part could not answer.
    func begin(because error: StorageError) {
        guard noteBegin(error.text) else { return }
        logger.warning("degraded", metadata: ["part": "\(part)", "error": "\(error.text)"])
    }

    /// The shared part does what it is for.
    func end() {
        guard noteEnd() else { return }
        logger.info("no longer degraded", metadata: ["part": "\(part)"])
    }

    /// Asks the shared part, or its replacement where it cannot answer.
    /// - Parameters:
    ///   - isProof: whether an answer shows that the part is back: one for which nothing had to be written does not, for
    ///     a part that is full or may only be read gives it as well.
    ///   - replacement: told why.
    func run<Value: Sendable>(
        _ shared: () async throws -> Value, endedBy isProof: (Value) -> Bool = { _ in true },
        orElse replacement: (StorageError) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await shared()
            if isProof(value) { end() }
            return value
        } catch let error as StorageError {
            begin(because: error)
            return try await replacement(error)
        }
    }

    /// Uses the part once while it is away, so that it is known to be back without a request that needs it.
    /// - Parameter use: writes, for the reason that ``run(_:endedBy:orElse:)`` gives.
    /// - Throws: what `use` throws while it still is away.
    package func tryAgain(_ use: () async throws -> Void) async throws {
        guard isDegraded else { return }
        try await use()
        end()
    }

    /// Uses the part, so that it is known whether it is away without a request that needs it.
    /// - Throws: what `use` throws while it is away.
    package func watch(_ use: () async throws -> Void) async throws {
        try await run(use, orElse: { error in throw error })
    }

    /// Reports under the lock, as ``noteEnd()`` does: when two changes happen at once, the last to be reported is the
    /// one that holds.
    /// - Returns: whether the log is to be told, also of another reason than the one that it has. What was too soon is told
    ///   later, should it still be away then.
    private func noteBegin(_ reason: String) -> Bool {
        state.withLock { state in
            if !state.isActive {
                state.isActive = true
                report(true)
            }
            guard !state.isTold || state.toldReason != reason else { return false }
            let now = time.uptime()
            if let toldAt = state.toldAt, now - toldAt < Self.logPause { return false }
            state.isTold = true
            state.toldReason = reason
            state.toldAt = now
            return true
        }
    }

    /// - Returns: whether the log is to be told, as it was of the beginning.
    private func noteEnd() -> Bool {
        state.withLock { state in
            guard state.isActive else { return false }
            state.isActive = false
            report(false)
            defer { state.isTold = false }
            return state.isTold
        }
    }
}
