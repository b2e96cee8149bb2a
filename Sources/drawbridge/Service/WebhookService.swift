import Bridge
import Logging
import ServiceLifecycle

/// Tells websites of ended sessions and devices.
struct WebhookService: Service {
    let notifier: WebhookNotifier
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                try await notifier.subscribe()
                while try await notifier.deliverDue() > 0 {}
            } catch {
                logger.warning("webhooks could not be worked off", metadata: ["error": "\(error)"])
            }
        }
    }
}
