import Bridge
import Testing

@Suite struct RecentTriesTests {
    private let clock = FixedClock()

    @Test func `a try is the first again when its time is over, to the millisecond`() {
        let tries = InProcessRecentTries(time: clock.source)
        #expect(tries.isFirst("a", within: .seconds(10)))
        clock.advance(.milliseconds(9_999))
        #expect(!tries.isFirst("a", within: .seconds(10)), "and this one does not lengthen it")
        clock.advance(.milliseconds(1))
        #expect(tries.isFirst("a", within: .seconds(10)))
    }

    @Test func `where there is no room every try is a first one, until others are over`() {
        let tries = InProcessRecentTries(capacity: 1, time: clock.source)
        #expect(tries.isFirst("a", within: .seconds(10)))
        for _ in 0..<2 { #expect(tries.isFirst("b", within: .seconds(10))) }
        #expect(!tries.isFirst("a", within: .seconds(10)))
        clock.advance(.seconds(10))
        #expect(tries.isFirst("b", within: .seconds(10)))
        #expect(!tries.isFirst("b", within: .seconds(10)))
    }
}
