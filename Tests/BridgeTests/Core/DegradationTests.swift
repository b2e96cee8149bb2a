import BridgeTestSupport
import Testing

@testable import Bridge

/// A shared memory that answers this.
private struct Remembering: ReuseMemory {
    let novelty: Novelty

    func note(_ value: String, at now: Timestamp) -> Novelty { novelty }
}

/// When a part is away, and what the log is told of it (contract §12, ADR-0009).
@Suite struct DegradationTests {
    private let log = LogLines()
    private let clock = FixedClock()
    private let full = StorageError.unavailable("Redis refused a command: OOM (its memory is full)")

    private func degradation() -> Degradation { Degradation(part: "test", logger: log.logger, time: clock.source) }

    @Test func `the log says why a part is away, and when it is back`() {
        let degradation = degradation()
        degradation.begin(because: full)
        degradation.begin(because: full)
        degradation.end()
        #expect(
            log.all == [
                "warning: degraded error=Redis refused a command: OOM (its memory is full) part=test",
                "info: no longer degraded part=test",
            ])
    }

    @Test func `a part that comes and goes with every request is told of once in ten seconds`() {
        let degradation = degradation()
        for round in 1...3 {
            for _ in 0..<100 {
                degradation.begin(because: full)
                degradation.end()
            }
            #expect(log.all.count == 2 * round)
            clock.advance(.seconds(10))
        }
    }

    @Test func `what begins again too soon is told of as soon as it may be, and its end then as well`() {
        let degradation = degradation()
        degradation.begin(because: full)
        degradation.end()
        degradation.begin(because: full)
        #expect(degradation.isDegraded && log.all.count == 2)
        clock.advance(.seconds(10))
        degradation.begin(because: full)
        #expect(log.all.count == 3)
        degradation.end()
        #expect(log.all.last == "info: no longer degraded part=test")
    }

    @Test func `a part that is away for another reason than before is told of again, once in ten seconds`() {
        let degradation = degradation()
        degradation.begin(because: .unavailable("Redis does not answer"))
        for _ in 0..<3 { degradation.begin(because: full) }
        #expect(log.all.count == 1)
        clock.advance(.seconds(10))
        for _ in 0..<3 { degradation.begin(because: full) }
        #expect(log.all.count == 2 && log.all.last?.contains("OOM") == true)
        degradation.end()
        #expect(log.all.count == 3)
    }

    @Test func `an answer for which nothing was written does not say that a part is back`() async throws {
        let degradation = degradation()
        degradation.begin(because: full)
        let read = try await degradation.run({ 1 }, endedBy: { _ in false }, orElse: { _ in 2 })
        #expect(read == 1 && degradation.isDegraded)
        let written = try await degradation.run({ 1 }, orElse: { _ in 2 })
        #expect(written == 1 && !degradation.isDegraded)
    }

    @Test(arguments: [(Novelty.seen, true), (.fresh, false), (.full, false)])
    func `that a value was seen before says nothing of whether another can be noted`(
        novelty: Novelty, isStillAway: Bool
    ) async throws {
        let degradation = degradation()
        degradation.begin(because: full)
        let memory = FailoverReuseMemory(
            Remembering(novelty: novelty),
            own: InProcessReuseMemory(lifetime: .seconds(60), capacity: 1, time: clock.source),
            degradation: degradation)
        #expect(try await memory.note("a", at: noon) == novelty)
        #expect(degradation.isDegraded == isStillAway)
    }
}
