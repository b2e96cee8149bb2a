import Testing

@testable import SQLStorage

@Suite struct LikePatternTests {
    @Test(arguments: [
        ("", "%%"), ("alice", "%alice%"), ("50%", "%50!%%"), ("a_b!", "%a!_b!!%"), (#"a\b"#, #"%a\b%"#),
        ("%\u{301}_\u{301}!\u{301}", "%!%\u{301}!_\u{301}!!\u{301}%"),
    ])
    func `each sign of a text is taken for itself`(_ text: String, _ pattern: String) {
        #expect(LikePattern.containing(text).unicodeScalars.elementsEqual(pattern.unicodeScalars))
    }
}
