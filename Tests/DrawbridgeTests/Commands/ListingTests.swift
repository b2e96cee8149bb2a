import Testing

@testable import drawbridge

@Suite struct ListingTests {
    private let list = Listing(columns: ["sub", "first_seen_at"], rows: [["alice", nil], ["b", "now\u{1b}[2J\n"]])

    @Test func `people see a heading and columns in line, and nothing that moves their cursor`() {
        #expect(
            list.text(as: .text) == """
                SUB    FIRST SEEN AT
                alice  -
                b      now\u{FFFD}[2J\u{FFFD}
                """)
    }

    @Test func `no name turns the letters after it around`() {
        #expect(Listing(columns: ["sub"], rows: [["a\u{202E}b\u{2028}"]]).text(as: .text) == "SUB\na\u{FFFD}b\u{FFFD}")
    }

    @Test func `programs get an array with an object a line`() {
        #expect(
            list.text(as: .json) == """
                [
                {"sub":"alice","first_seen_at":null},
                {"sub":"b","first_seen_at":"now\\u001b[2J\\n"}
                ]
                """)
        #expect(Listing(columns: ["sub"], rows: []).text(as: .json) == "[]")
    }
}
