import Bridge
import Logging
import ServiceLifecycle

/// Tells clients of ended sessions.
struct ProviderUpkeep: Service {
    let notifier: LogoutNotifier
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                while try await notifier.deliverDue() > 0 {}
            } catch {
                logger.warning("provider upkeep failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
