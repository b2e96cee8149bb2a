import Bridge
import Logging
import ServiceLifecycle

/// Has the store queue the ends that websites want to hear of: what other nodes changed, too.
struct NoticeSubscriptionService: Service {
    let workers: [any NoticeQueueWorker]
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .seconds(1), task: "subscribe websites to notices", logger: logger).run {
            for worker in workers { try await worker.subscribe() }
        }
    }
}
