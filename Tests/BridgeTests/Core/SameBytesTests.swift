import Testing

@testable import Bridge

@Suite struct SameBytesTests {
    @Test(arguments: ["", "a", "fifteen letters", "more letters than lie in a string itself", "alicé", "\0", "a\0b"])
    func `a text has the same bytes as its copy, wherever that is kept`(text: String) {
        #expect(text.hasSameBytes(as: String(decoding: Array(text.utf8), as: UTF8.self)))
        #expect(text.hasSameBytes(as: String(("<" + text + ">").dropFirst().dropLast())))
    }

    @Test(arguments: [
        ("", "a"), ("a", "b"), ("a\0b", "a\0c"), ("more letters than lie in a string itself", "more letters than lie"),
        ("more letters than lie in a string itself", "more letters than lie in a string itselg"),
        // Equal to `==`: the same letters, composed otherwise.
        ("alic\u{E9}", "alice\u{301}"), ("K", "\u{212A}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ])
    func `a text has other bytes than any other text`(one: String, other: String) {
        #expect(!one.hasSameBytes(as: other))
        #expect(!other.hasSameBytes(as: one))
    }
}
