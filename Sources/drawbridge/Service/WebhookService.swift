import Bridge
import Logging
import ServiceLifecycle

/// Has the store queue the ends that websites with a webhook want to hear of.
struct WebhookSubscription: Service {
    let notifier: WebhookNotifier
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                try await notifier.subscribe()
            } catch {
                logger.warning("webhooks could not be subscribed", metadata: ["error": "\(error)"])
            }
        }
    }
}
