package import Logging
import Synchronization

/// Whether a shared part is away and its replacement answers; read by `/readyz` and metrics.
package final class Degradation: Sendable {
    private let part: String
    private let logger: Logger
    private let report: @Sendable (_ isDegraded: Bool) -> Void
    private let isActive = Mutex(false)

    /// - Parameters:
    ///   - part: its name in the log, such as `rate_limits`.
    ///   - report: called at first and with every change, for metrics; must not ask for ``isDegraded``.
    package init(
        part: String, logger: Logger = Logger(label: "drawbridge.degradation"),
        report: @escaping @Sendable (_ isDegraded: Bool) -> Void = { _ in }
    ) {
        self.part = part
        self.logger = logger
        self.report = report
        report(false)
    }

    package var isDegraded: Bool { isActive.withLock { $0 } }

    /// The shared part could not answer.
    func begin(because error: StorageError) {
        guard change(to: true) else { return }
        logger.warning("degraded", metadata: ["part": "\(part)", "error": "\(error)"])
    }

    /// The shared part answered.
    func end() {
        guard change(to: false) else { return }
        logger.info("no longer degraded", metadata: ["part": "\(part)"])
    }

    /// Asks the shared part, or its replacement where it cannot answer.
    /// - Parameter replacement: told why.
    func run<Value: Sendable>(
        _ shared: () async throws -> Value, orElse replacement: (StorageError) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await shared()
            end()
            return value
        } catch let error as StorageError {
            begin(because: error)
            return try await replacement(error)
        }
    }

    /// Uses the part once while it is away, so that it is known to be back without a request that needs it.
    /// - Throws: what `use` throws while it still is away.
    package func tryAgain(_ use: () async throws -> Void) async throws {
        guard isDegraded else { return }
        try await use()
        end()
    }

    /// Uses the part, so that it is known whether it is away without a request that needs it.
    /// - Throws: what `use` throws while it is away.
    package func watch(_ use: () async throws -> Void) async throws {
        try await run(use) { error in throw error }
    }

    /// Reports under the lock: of two changes at once, the last to be reported is the one that holds.
    /// - Returns: whether it was different.
    private func change(to value: Bool) -> Bool {
        isActive.withLock { isActive in
            guard isActive != value else { return false }
            isActive = value
            report(value)
            return true
        }
    }
}
