import Synchronization
import Testing

@testable import Bridge

@Suite struct TurnstileTests {
    private final class Record: Sendable {
        private let state = Mutex((running: 0, most: 0, order: [Int]()))

        var most: Int { state.withLock { $0.most } }
        var order: [Int] { state.withLock { $0.order } }

        func begin(_ number: Int) {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
                state.order.append(number)
            }
        }

        func end() { state.withLock { $0.running -= 1 } }
    }

    private struct TurnedAway: Error {}

    /// Something that happens once.
    private final class Sign: Sendable {
        private let state = Atomic(false)

        var isGiven: Bool { state.load(ordering: .acquiring) }
        func give() { state.store(true, ordering: .releasing) }
    }

    private static func turnstile(
        width: Int = 1, maximumWaiting: Int? = nil, patience: Duration? = nil
    ) -> Turnstile {
        Turnstile(width: width, maximumWaiting: maximumWaiting, patience: patience, refusal: TurnedAway())
    }

    private static func wait(until holds: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !holds(), .now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(holds())
    }

    /// Runs `body` while somebody has a turn, and lets that one go then.
    private static func whileTaken(_ turnstile: Turnstile, _ body: () async throws -> Void) async throws {
        let (taken, open) = (Sign(), Sign())
        let holder = Task {
            try await turnstile.turn {
                taken.give()
                try await wait { open.isGiven }
            }
        }
        try await wait { taken.isGiven }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        open.give()
        try await holder.value
        try result.get()
    }

    @Test func `callers have their turns one at a time, in the order they came`() async throws {
        let turnstile = Self.turnstile(patience: .seconds(60))
        let record = Record()
        var callers: [Task<Void, any Error>] = []
        try await Self.whileTaken(turnstile) {
            for number in 0..<4 {
                callers.append(
                    Task {
                        try await turnstile.turn {
                            record.begin(number)
                            try await Task.sleep(for: .milliseconds(5))
                            record.end()
                        }
                    })
                try await Self.wait { turnstile.waitingCount == number + 1 }
            }
            #expect(record.order == [])
        }
        for caller in callers { try await caller.value }
        #expect(record.order == [0, 1, 2, 3] && record.most == 1)
    }

    @Test func `as many callers have their turns at once as it is wide`() async throws {
        let turnstile = Self.turnstile(width: 2)
        var third: Task<Void, any Error>?
        try await Self.whileTaken(turnstile) {
            third = try await turnstile.turn {
                let third = Task { try await turnstile.turn {} }
                try await Self.wait { turnstile.waitingCount == 1 }
                return third
            }
            try await third?.value
        }
    }

    @Test func `who finds as many waiting as may wait is turned away`() async throws {
        let turnstile = Self.turnstile(maximumWaiting: 1)
        var patient: Task<Void, any Error>?
        try await Self.whileTaken(turnstile) {
            patient = Task { try await turnstile.turn {} }
            try await Self.wait { turnstile.waitingCount == 1 }
            await #expect(throws: TurnedAway.self) { try await turnstile.turn {} }
            #expect(turnstile.waitingCount == 1)
        }
        try await patient?.value
    }

    @Test func `who is cancelled while waiting gives the place up`() async throws {
        let turnstile = Self.turnstile(patience: .seconds(60))
        var patient: Task<Void, any Error>?
        try await Self.whileTaken(turnstile) {
            let gone = Task { try await turnstile.turn {} }
            try await Self.wait { turnstile.waitingCount == 1 }
            patient = Task { try await turnstile.turn {} }
            try await Self.wait { turnstile.waitingCount == 2 }
            gone.cancel()
            await #expect(throws: CancellationError.self) { try await gone.value }
            #expect(turnstile.waitingCount == 1)
        }
        try await patient?.value
    }

    @Test func `who is cancelled already does not wait`() async throws {
        let turnstile = Self.turnstile(patience: .seconds(60))
        try await Self.whileTaken(turnstile) {
            let gone = Task {
                while !Task.isCancelled { await Task.yield() }
                try await turnstile.turn {}
            }
            gone.cancel()
            await #expect(throws: CancellationError.self) { try await gone.value }
            #expect(turnstile.waitingCount == 0)
        }
    }

    @Test func `who has waited for too long is turned away`() async throws {
        let turnstile = Self.turnstile(patience: .milliseconds(30))
        try await Self.whileTaken(turnstile) {
            await #expect(throws: TurnedAway.self) { try await turnstile.turn {} }
            #expect(turnstile.waitingCount == 0)
        }
        try await turnstile.turn {}
    }

    @Test func `after one that failed the next has its turn`() async throws {
        let turnstile = Self.turnstile(patience: .seconds(60))
        await #expect(throws: CancellationError.self) { try await turnstile.turn { throw CancellationError() } }
        try await turnstile.turn {}
    }
}
