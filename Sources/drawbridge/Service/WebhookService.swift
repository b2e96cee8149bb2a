import Bridge
import Logging
import ServiceLifecycle

/// Has the store queue the ends that websites with a webhook want to hear of: what other nodes changed, too.
struct WebhookSubscription: Service {
    let notifier: WebhookNotifier
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .seconds(1), task: "subscribe webhooks", logger: logger).run {
            try await notifier.subscribe()
        }
    }
}
