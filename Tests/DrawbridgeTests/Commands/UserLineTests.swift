import Bridge
import Testing

@testable import drawbridge

@Suite struct UserLineTests {
    private let record = SubjectRecord(
        subject: "s", issuer: "drawbridge", firstSeenAt: Timestamp(seconds: 0), disabledAt: nil)

    @Test func `an account shows its name, role and second factor`() {
        let account = Account(
            subject: "s", username: Username("alice"), role: .admin,
            secondFactor: SecondFactor(sealedSecret: "sealed", lastStep: 0), createdAt: Timestamp(seconds: 0))
        let fields = UserLine(UserOverview(record, account: account)).text.split(separator: "\t")
        #expect(fields.prefix(5) == ["s", "alice", "admin", "second factor", "drawbridge"])
        #expect(fields.last == "active")
    }

    @Test func `a user without an account keeps every field in its place`() {
        let fields = UserLine(UserOverview(record)).text.split(separator: "\t")
        #expect(fields.prefix(5) == ["s", "-", "-", "-", "drawbridge"])
        #expect(fields.count == 7)
    }
}
