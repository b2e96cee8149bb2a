import Bridge
import Testing

@Suite struct InProcessReplayGuardTests {
    private let clock = FixedClock()
    private let replayGuard: InProcessReplayGuard

    init() { replayGuard = InProcessReplayGuard(time: clock.source) }

    @Test func `an id is claimed once`() {
        #expect(replayGuard.claim("a", until: noon + .seconds(60), at: noon) == .claimed)
        #expect(replayGuard.claim("a", until: noon + .seconds(60), at: noon + .seconds(30)) == .claimedBefore)
        #expect(replayGuard.claim("b", until: noon + .seconds(60), at: noon) == .claimed)
    }

    @Test func `a claim holds until its token has expired`() {
        let expiry = noon + .seconds(60)
        _ = replayGuard.claim("a", until: expiry, at: noon)
        for second in stride(from: 0, through: 60, by: 5) {
            #expect(replayGuard.claim("a", until: expiry, at: noon + .seconds(second)) == .claimedBefore)
        }
    }

    @Test func `what has expired is forgotten`() {
        _ = replayGuard.claim("a", until: noon + .seconds(60), at: noon)
        clock.advance(.seconds(120))
        #expect(replayGuard.claim("a", until: noon + .seconds(60), at: clock.now) == .claimed)
    }

    @Test func `a full memory says that it is full, and still knows what it has seen`() {
        let small = InProcessReplayGuard(capacity: 2, time: clock.source)
        for id: TokenID in ["a", "b"] { #expect(small.claim(id, until: noon + .seconds(60), at: noon) == .claimed) }
        #expect(small.claim("c", until: noon + .seconds(60), at: noon) == .full)
        #expect(small.claim("a", until: noon + .seconds(60), at: noon) == .claimedBefore)
        clock.advance(.seconds(120))
        #expect(small.claim("c", until: clock.now + .seconds(60), at: clock.now) == .claimed)
    }

    @Test func `of 1000 concurrent claims of one id one wins`() async {
        let won = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask { replayGuard.claim("a", until: noon + .seconds(60), at: noon) == .claimed }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 1)
    }

    @Test func `ids are told apart`() {
        let random = CountingRandom().source
        for _ in 0..<10_000 {
            #expect(
                replayGuard.claim(TokenID(rawValue: random.text(16)), until: noon + .seconds(60), at: noon) == .claimed)
        }
    }
}
