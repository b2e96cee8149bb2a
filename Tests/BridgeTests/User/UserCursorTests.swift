import OAuth2
import Testing

@testable import Bridge

@Suite struct UserCursorTests {
    private let user = UserOverview(
        SubjectRecord(subject: "é 1", issuer: "https://issuer.example", firstSeenAt: noon, disabledAt: nil))

    @Test(arguments: UserOrder.allCases) func `a place is read as it was written`(order: UserOrder) throws {
        let cursor = UserCursor(after: user, by: order)
        #expect(UserCursor(text: cursor.text, by: order) == cursor)
        #expect(Base64URL.decode(cursor.text) != nil)
    }

    @Test func `a place in another order, and what is none, is refused`() {
        #expect(UserCursor(text: UserCursor(after: user, by: .firstSeen).text, by: .name) == nil)
        #expect(UserCursor(text: UserCursor(after: user, by: .name).text, by: .state) == nil)
        for text in ["", "alice", "e30", Base64URL.encode(Array(#"{"subject":"a"}"#.utf8))] {
            #expect(UserCursor(text: text, by: .name) == nil)
        }
        let zero = Base64URL.encode(Array(#"{"subject":"a","text":"\u0000"}"#.utf8))
        #expect(UserCursor(text: zero, by: .name) == nil)
        #expect(UserCursor(text: String(repeating: "A", count: 5000), by: .name) == nil)
    }
}
