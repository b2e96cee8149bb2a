import Bridge
import Testing

@Suite struct UsernameTests {
    @Test(arguments: [("Alice", "alice"), (" alice ", "ALICE"), ("Zoë", "zoe\u{308}"), ("ﬁn", "FIN")])
    func `spellings that look alike are one name`(left: String, right: String) throws {
        let names = try [left, right].map { try #require(Username($0)) }
        #expect(names[0] == names[1])
    }

    @Test(arguments: ["", "  ", "a\u{0}b", "a\nb", String(repeating: "a", count: 129)])
    func `what nobody can type is no name`(text: String) {
        #expect(Username(text) == nil)
    }
}
