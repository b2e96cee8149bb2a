import Bridge
import Logging
import ServiceLifecycle

/// Works off a queue of notices to websites: when the bell rings, and every second what is due by then.
struct NoticeService<Worker: NoticeQueueWorker>: Service {
    let worker: Worker
    let bell: NoticeBell
    let logger: Logger

    func run() async throws {
        let timer = Task {
            for await _ in AsyncTimer(every: .seconds(1)).cancelOnGracefulShutdown() { bell.ring() }
        }
        await worker.work(on: bell.rings().cancelOnGracefulShutdown()) { [logger] error in
            logger.warning("notices to websites could not be worked off", metadata: ["error": "\(error)"])
        }
        timer.cancel()
    }
}
