import Bridge
import Logging
import ServiceLifecycle

/// Works off a queue of notices to websites: when the bell rings, and every second what is due by then.
struct NoticeService<Worker: NoticeQueueWorker>: Service {
    let worker: Worker
    let bell: NoticeBell
    let logger: Logger

    func run() async throws {
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let rings = bell.rings()
        await withDiscardingTaskGroup { group in
            // Not by the bell, which the services of all queues hear.
            group.addTask {
                for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() { tick.yield() }
            }
            group.addTask {
                for await _ in rings.cancelOnGracefulShutdown() { tick.yield() }
                tick.finish()
            }
            await worker.work(on: ticks) { [logger] error in
                logger.warning("notices to websites could not be worked off", metadata: ["error": "\(error)"])
            }
            group.cancelAll()
        }
    }
}
