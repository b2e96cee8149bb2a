import Bridge
import Testing

@testable import drawbridge

@Suite struct UserListingTests {
    private let record = SubjectRecord(
        subject: "s", issuer: "drawbridge", firstSeenAt: Timestamp(seconds: 0), disabledAt: nil)

    @Test func `an account shows its name, role and second factor`() {
        let account = Account(
            subject: "s", username: Username("alice"), role: .admin,
            secondFactor: SecondFactor(sealedSecret: "sealed", lastStep: 0), createdAt: Timestamp(seconds: 0))
        let rows = Listing(users: [UserOverview(record, account: account)]).rows
        #expect(
            rows.map { $0.map { $0 ?? "-" } } == [
                ["s", "alice", "admin", "yes", "drawbridge", "1970-01-01T00:00:00.000Z", "active"]
            ])
    }

    @Test func `a user without an account keeps every field in its place`() {
        let rows = Listing(users: [UserOverview(record)]).rows
        #expect(rows[0].prefix(4) == ["s", nil, nil, "no"] && rows[0].count == 7)
    }

    @Test(arguments: [(0, "0 sessions ended."), (1, "1 session ended."), (2, "2 sessions ended.")])
    func `one session that ended is said in the singular`(_ count: Int, _ sentence: String) {
        #expect(Ended(sessions: (0..<count).map { SessionID(rawValue: "s\($0)") }).sentence == sentence)
    }
}
