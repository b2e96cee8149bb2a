import Testing

@testable import SQLStorage

extension GroupCommitWriter {
    /// Returns once so many writes wait for their turn, which they do while the writer's thread is held. What is wrong is
    /// recorded, not thrown: whoever holds the thread has to let go of it all the same.
    func untilWaiting(_ count: Int) async {
        let end = ContinuousClock.now + .seconds(30)
        while waitingCount < count, .now < end { await Task.yield() }
        #expect(waitingCount == count)
    }
}

extension DurableStorage {
    /// Writes that wait for the next commit.
    var waitingWrites: Int { writing?.writer.waitingCount ?? 0 }
}
