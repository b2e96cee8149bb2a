import Bridge
import Logging
import ServiceLifecycle

/// Takes in signing keys that another process added.
struct ProviderUpkeep: Service {
    let keys: SigningKeys
    let logger: Logger

    /// A key is published an hour before it signs, so this is soon enough.
    private static let pause = Duration.seconds(30)

    func run() async throws {
        for await _ in AsyncTimer(every: Self.pause).cancelOnGracefulShutdown() {
            do {
                try await keys.reload()
            } catch {
                logger.warning("signing keys could not be read again", metadata: ["error": "\(error)"])
            }
        }
    }
}
