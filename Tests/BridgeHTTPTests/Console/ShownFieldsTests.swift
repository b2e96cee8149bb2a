import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct ShownFieldsTests {
    private func form(_ text: String) throws -> ShownFields { ShownFields(try FormParameters(parsing: text.utf8)) }

    private static let cases: [(String, String, ShownFields.Wish)] = [
        ("email=a&shown.email=a", "a", .nothing), ("email=a&shown.email=a", "c", .nothing),
        ("email=b&shown.email=a", "a", .change("b")), ("email=b&shown.email=a", "c", .overtaken("b")),
        ("email=b&shown.email=a", "b", .nothing), ("email=&shown.email=a", "a", .change("")),
        ("email=&shown.email=a", "c", .overtaken("")), ("email=b&shown.email=", "", .change("b")),
        ("email=b&shown.email=", "c", .overtaken("b")), ("shown.email=a", "c", .nothing), ("", "c", .nothing),
        // A form of an earlier version does not say what it showed.
        ("email=b", "c", .change("b")), ("email=c", "c", .nothing),
        // Other bytes are another text, although they look the same.
        ("email=e%CC%81&shown.email=%C3%A9", "\u{E9}", .change("e\u{301}")),
    ]

    @Test(arguments: cases)
    func `what was typed is told from what was left alone, and from what somebody else has changed`(
        text: String, now: String, wish: ShownFields.Wish
    ) throws {
        #expect(try form(text).wish(for: "email", now: now) == wish)
    }

    @Test func `a form that comes back passes over no change of somebody else of which it does not tell`() throws {
        let overtaken = try form("email=b&shown.email=a")
        #expect(overtaken.next("email", now: "c", isTold: false) == "a")
        #expect(overtaken.next("email", now: "c", isTold: true) == "c")
        #expect(overtaken.next("email", now: "a", isTold: false) == "a")
        #expect(try form("email=a&shown.email=a").next("email", now: "c", isTold: false) == "c")
    }
}
