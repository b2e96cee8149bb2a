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

    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{34F}", "\u{FE0F}", "\u{3164}", "\u{115F}", "\u{2800}", "\u{17B4}"])
    func `a new name holds nothing that is not seen, and one of before is a name still`(unseen: String) {
        for text in ["alice\(unseen)", "al\(unseen)ice", "\(unseen)alice", unseen] {
            #expect(Username(registering: text) == nil)
        }
        #expect(Username("al\(unseen)ice") != nil)
    }

    @Test(arguments: ["alice", "Zoe\u{308}", "Мария", "李 明", "o'neil-7", "ann 🐦", "مريم"])
    func `a new name may have the letters of any alphabet`(text: String) {
        #expect(Username(registering: text) != nil)
    }
}
