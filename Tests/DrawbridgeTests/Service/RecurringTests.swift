import Bridge
import BridgeHTTP
import Testing

@testable import drawbridge

@Suite struct RecurringTests {
    private struct Outage: Error {}

    private let lines = JSONLogLines()

    /// - Parameter rounds: whether each one fails.
    private func run(_ rounds: [Bool]) async -> Int {
        var left = rounds[...]
        let ticks = AsyncStream<Void> { continuation in
            for _ in rounds { continuation.yield() }
            continuation.finish()
        }
        await Recurring(interval: .seconds(1), task: "do it", logger: lines.logger).run(on: ticks) {
            if left.removeFirst() { throw Outage() }
        }
        return rounds.count - left.count
    }

    @Test func `a round that fails does not keep the next from coming`() async {
        #expect(await run([true, false, true, false]) == 4)
    }

    @Test(arguments: [([false, false], 0), ([true, true, true], 1), ([true, false, true, true], 2)])
    func `an outage is reported once, and the next one again`(_ rounds: [Bool], _ warnings: Int) async {
        _ = await run(rounds)
        #expect(lines.count(of: "could not do it") == warnings)
    }

    @Test func `an outage of something else is reported, too`() async {
        let outages = ["a", "a", "b", "b"]
        var left = outages[...]
        let ticks = AsyncStream<Void> { continuation in
            for _ in outages { continuation.yield() }
            continuation.finish()
        }
        let recurring = Recurring(interval: .seconds(1), task: "do it", logger: lines.logger) { error in
            (error as? StorageError)?.text ?? ""
        }
        await recurring.run(on: ticks) { throw StorageError.unavailable(left.removeFirst()) }
        #expect(lines.count(of: "could not do it") == 2)
    }

    @Test(.timeLimit(.minutes(1))) func `a slow round that a bell may wake is followed by a pause, too`() async {
        let interval = Duration.milliseconds(50)
        let recurring = Recurring(interval: interval, task: "do it", logger: lines.logger)
        let (pauses, report) = AsyncStream.makeStream(of: Duration.self)
        let work = Task {
            var ended: ContinuousClock.Instant?
            await recurring.run(wokenBy: NoticeBell()) {
                if let ended { report.yield(ended.duration(to: ContinuousClock.now)) }
                try await Task.sleep(for: interval * 3)
                ended = ContinuousClock.now
            }
        }
        for await pause in pauses.prefix(2) { #expect(pause >= interval) }
        work.cancel()
    }

    @Test(.timeLimit(.minutes(1))) func `a bell wakes a round before its time`() async {
        let recurring = Recurring(interval: .seconds(3600), task: "do it", logger: lines.logger)
        let bell = NoticeBell()
        let (rounds, report) = AsyncStream.makeStream(of: Void.self)
        let work = Task { await recurring.run(wokenBy: bell) { report.yield() } }
        let ringing = Task {
            // Until somebody listens.
            for await _ in AsyncTimer(every: .milliseconds(10)) { bell.ring() }
        }
        for await _ in rounds.prefix(2) {}
        ringing.cancel()
        work.cancel()
    }
}
