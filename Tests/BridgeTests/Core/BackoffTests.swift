import Bridge
import Testing

@Suite struct BackoffTests {
    private static let fresh = Backoff(first: .seconds(1), ceiling: .seconds(60))

    @Test func `each wait is up to twice as long as the one before, to the ceiling and no further`() {
        var backoff = Self.fresh
        var waits: [Duration] = []
        for _ in 0..<40 { waits.append(backoff.next(1)) }
        #expect(waits.prefix(6) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(32)])
        #expect(waits.dropFirst(6).allSatisfy { $0 == .seconds(60) })
    }

    @Test func `half of a wait is certain`() {
        var backoff = Self.fresh
        #expect(backoff.next(0) == .milliseconds(500))
        #expect(backoff.next(0) == .seconds(1))
    }

    @Test func `the longest that a wait may be is known before`() {
        var backoff = Self.fresh
        #expect(backoff.longest == .seconds(1))
        _ = backoff.next(0)
        #expect(backoff.longest == .seconds(2))
    }

    @Test func `what has gone well begins anew`() {
        var backoff = Self.fresh
        for _ in 0..<8 { _ = backoff.next(0) }
        backoff.reset()
        #expect(backoff.next(1) == .seconds(1))
    }

    @Test func `a ceiling below the first wait does not lower it`() {
        #expect(Backoff(first: .seconds(2), ceiling: .seconds(1)).longest == .seconds(2))
    }
}
