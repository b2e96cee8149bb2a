import Bridge
import Testing

@Suite struct AlertBoardTests {
    private static let now = Timestamp(milliseconds: 1_763_708_400_123)

    private func tally(
        _ type: String, _ count: Int64, outcome: AuditEvent.Outcome = .failure
    ) -> AuditTally {
        AuditTally(
            at: Self.now, type: AuditEventType(rawValue: type), outcome: outcome, reason: nil, count: count)
    }

    @Test func `an alert begins above the threshold, keeps its begin, and ends`() {
        let board = AlertBoard(rules: [AlertRule(name: .replays, threshold: 3)])
        #expect(board.look(at: [tally("login_token.replayed", 3)], now: Self.now).begun == [])
        let later = Self.now + .seconds(10)
        let change = board.look(
            at: [tally("login_token.replayed", 3), tally("refresh_token.reused", 1)], now: later)
        #expect(change.begun.map(\.count) == [4])
        let still = board.look(at: [tally("login_token.replayed", 9)], now: later + .seconds(10))
        #expect(still.begun == [] && still.over == [])
        #expect(board.current.map(\.since) == [later])
        #expect(board.current.map(\.count) == [9])
        #expect(board.look(at: [], now: later + .seconds(20)).over.map(\.count) == [9])
        #expect(board.current == [])
    }

    @Test(arguments: [
        (AlertRule.Name.replays, "login_token.replayed", "login_token.refused"),
        (.signInFailures, "user.sign_in_failed", "user.signed_in"),
        (.reportedSignIns, "cross_device.reported", "cross_device.denied"),
        (.exchangeFailures, "token_request.refused", "login_token.refused"),
    ])
    func `a rule counts what it is about`(name: AlertRule.Name, counted: String, other: String) {
        let board = AlertBoard(rules: [AlertRule(name: name, threshold: 1)])
        #expect(board.look(at: [tally(other, 100)], now: Self.now).begun == [])
        #expect(board.look(at: [tally(counted, 2)], now: Self.now).begun.map(\.rule.name) == [name])
    }

    @Test func `what was counted instead of written is refused, and no other token that was used twice`() {
        let board = AlertBoard(rules: [.replays, .refusals].map { AlertRule(name: $0, threshold: 1) })
        let left = AuditTally(
            at: Self.now, type: .loginTokenReplayed, outcome: .failure, reason: AuditTally.suppressedReason, count: 9)
        #expect(board.look(at: [left], now: Self.now).begun.map(\.rule.name) == [.refusals])
    }

    @Test func `refusals are failures of any kind, and successes are none`() {
        let board = AlertBoard(rules: [AlertRule(name: .refusals, threshold: 1)])
        #expect(board.look(at: [tally("x.y", 100, outcome: .success)], now: Self.now).begun == [])
        #expect(board.look(at: [tally("x.y", 1), tally("y.z", 1)], now: Self.now).begun.count == 1)
    }
}
