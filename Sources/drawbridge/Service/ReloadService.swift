import ServiceLifecycle
import UnixSignals

/// Runs an action for each SIGHUP.
struct ReloadService: Service {
    let signals: UnixSignalsSequence
    let reload: @Sendable () async -> Void

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }
}
