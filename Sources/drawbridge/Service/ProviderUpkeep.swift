import Bridge
import Logging
import ServiceLifecycle

/// Tells clients of ended sessions, and takes in signing keys that another process added.
struct ProviderUpkeep: Service {
    let notifier: LogoutNotifier
    let keys: SigningKeys
    let logger: Logger

    /// A key is published an hour before it signs, so this is soon enough.
    private static let ticksBetweenKeyReloads = 30

    func run() async throws {
        var tick = 0
        for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() {
            tick += 1
            do {
                while try await notifier.deliverDue() > 0 {}
                if tick % Self.ticksBetweenKeyReloads == 0 { try await keys.reload() }
            } catch {
                logger.warning("provider upkeep failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
