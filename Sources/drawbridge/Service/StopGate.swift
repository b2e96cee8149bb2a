import ServiceLifecycle

/// The first step of a stop, before a listener closes.
struct StopGate: Service {
    let close: @Sendable () -> Void

    func run() async throws {
        try? await gracefulShutdown()
        close()
    }
}
