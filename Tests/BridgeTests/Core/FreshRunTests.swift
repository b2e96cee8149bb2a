import Synchronization
import Testing

@testable import Bridge

@Suite struct FreshRunTests {
    @Test func `callers share a run that begins after they asked`() async throws {
        let (first, second, callers) = (Gate(), Gate(), Gate())
        let runs = Mutex(0)
        let run = FreshRun {
            let number = runs.withLock { runs in
                runs += 1
                return runs
            }
            await (number == 1 ? first : second).wait()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await run() }
            await first.whenWaiting(1)
            for _ in 0..<20 {
                group.addTask {
                    await callers.wait()
                    try await run()
                }
            }
            await callers.whenWaiting(20)
            await callers.open()
            await first.open()
            await second.whenWaiting(1)
            await second.open()
            try await group.waitForAll()
        }
        // One for all who came while the first was under way; how many came later is for the scheduler to say.
        #expect((2...20).contains(runs.withLock { $0 }), "shared by two at least")
    }

    @Test func `who joins where no run is under way begins one`() async throws {
        let runs = Mutex(0)
        let run = FreshRun { runs.withLock { $0 += 1 } }
        try await run.join()
        try await run()
        try await run.join()
        #expect(runs.withLock { $0 } == 3)
    }

    @Test func `a run that fails fails for those who shared it, and the next is another`() async throws {
        struct Failure: Error {}
        let runs = Mutex(0)
        let run = FreshRun {
            if runs.withLock({ runs in
                runs += 1
                return runs == 1
            }) {
                throw Failure()
            }
        }
        await #expect(throws: Failure.self) { try await run() }
        try await run()
        #expect(runs.withLock { $0 } == 2)
    }
}

/// Holds tasks up until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watcher: (count: Int, CheckedContinuation<Void, Never>)?

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if let (count, watcher) = watcher, waiting.count >= count {
                self.watcher = nil
                watcher.resume()
            }
        }
    }

    func whenWaiting(_ count: Int) async {
        guard waiting.count < count else { return }
        await withCheckedContinuation { watcher = (count, $0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
