import Synchronization
import Testing

@testable import Bridge

@Suite struct SingleFlightTests {
    @Test func `work that is wanted while it is done is done once, and anew for whoever comes later`() async throws {
        // A second caller whose thread stands still comes when the work is over, and does its own: then once more.
        var hasJoined = false
        for _ in 0..<100 where !hasJoined {
            let flight = SingleFlight()
            let count = Counter()
            let released = Counter()
            let overlapped = Counter()
            let (holding, release) = AsyncStream.makeStream(of: Void.self)
            async let first: Void = flight.join { @Sendable in
                count.add()
                for await _ in holding {}
            }
            while count.value == 0 { await Task.yield() }
            async let second: Void = flight.join { @Sendable in
                if released.value == 0 { overlapped.add() }
                count.add()
            }
            for _ in 0..<1000 { await Task.yield() }
            released.add()
            release.finish()
            try await first
            try await second
            #expect(overlapped.value == 0)
            let done = count.value
            hasJoined = done == 1
            try await flight.join { @Sendable in count.add() }
            #expect(count.value == done + 1)
        }
        #expect(hasJoined)
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
