import BridgeTestSupport
import Synchronization
import Testing

@testable import Bridge

/// Ends that a store names more than once, as PostgreSQL does while an old transaction is open anywhere on its server.
@Suite struct RepeatedEndsTests {
    /// - Parameter rounds: what the store finds each time after the first, which has a gap.
    /// - Returns: whether each of them was told of.
    private func told(_ rounds: [[SessionID]]) async throws -> [Bool] {
        let store = RepeatedEnds(rounds)
        let sessions = WebSessions(store: store, time: FixedClock().source)
        let count = Mutex(0)
        sessions.onNews { _ in count.withLock { $0 += 1 } }
        try await sessions.refresh()
        #expect(count.withLock { $0 } == 1)
        var told: [Bool] = []
        for _ in rounds {
            let before = count.withLock { $0 }
            try await sessions.refresh()
            told.append(count.withLock { $0 } > before)
        }
        return told
    }

    @Test func `an end that is read again while the mark stands still is told of once`() async throws {
        #expect(try await told([["a"], ["a"], ["a"]]) == [true, false, false])
    }

    @Test func `an end that comes beside known ones is told of`() async throws {
        #expect(try await told([["a"], ["a", "b"], ["a", "b"], ["b"], []]) == [true, true, false, false, false])
    }

    @Test func `only the last round is remembered`() async throws {
        #expect(try await told([["a"], [], ["a"]]) == [true, false, true])
    }
}

/// Nothing but ends, in rounds.
private final class RepeatedEnds: SessionStoreDouble {
    private let rounds: Mutex<ArraySlice<[SessionID]>>

    init(_ rounds: [[SessionID]]) { self.rounds = Mutex(rounds[...]) }

    func sessionsEnded(since mark: EndMark?) -> EndNews {
        let ended = mark == nil ? [] : rounds.withLock { $0.popFirst() ?? [] }
        return EndNews(ended: ended, mark: EndMark(run: "", number: 1), hasGap: mark == nil)
    }
}
