import Synchronization
import Testing

@testable import Bridge

@Suite struct NoticeQueueWorkerTests {
    @Test(arguments: [([false, false], 0), ([true, true, true], 1), ([true, false, true, true], 2)])
    func `a queue that cannot be read is told of once per outage`(_ rounds: [Bool], _ told: Int) async {
        let queue = Queue(failing: rounds)
        let count = Mutex(0)
        await queue.work(on: queue.signals) { _ in count.withLock { $0 += 1 } }
        #expect(queue.isReadToTheEnd)
        #expect(count.withLock { $0 } == told)
    }
}

/// An empty queue that can be read or not, by turns; each reading asks for the next.
private final class Queue: NoticeQueueWorker {
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let rounds: Mutex<ArraySlice<Bool>>

    /// - Parameter rounds: whether each reading fails.
    init(failing rounds: [Bool]) {
        self.rounds = Mutex(rounds[...])
        (signals, signal) = AsyncStream.makeStream(of: Void.self)
        signal.yield()
    }

    var isReadToTheEnd: Bool { rounds.withLock { $0.isEmpty } }

    func subscribe() {}

    func takeDue() throws -> [Never] {
        let (isFailing, isLast) = rounds.withLock { rounds in (rounds.removeFirst(), rounds.isEmpty) }
        if isLast { signal.finish() } else { signal.yield() }
        if isFailing { throw StorageError.unavailable("away") }
        return []
    }

    func deliver(_ notice: Never) {}
}
