import Testing

@testable import OAuth2

@Suite struct CBORTests {
    /// RFC 8949 Appendix A, as far as it is read here.
    @Test(arguments: [
        ("00", CBORValue.integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)),
        ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
        ("20", .integer(-1)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
        ("3b7fffffffffffffff", .integer(.min)), ("f4", .bool(false)), ("f5", .bool(true)), ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")),
        ("62c3bc", .text("ü")), ("80", .array([])), ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
        (
            "8301820203820405",
            .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])
        ),
        ("a0", .map([:])), ("a201020304", .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
        ("a26161016162820203", .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])),
    ])
    func `what WebAuthn uses is read`(_ hex: String, _ value: CBORValue) {
        #expect(CBORValue.parse(bytes(hex)) == value)
    }

    @Test(arguments: [
        ("", "nothing"), ("18", "a number that breaks off"), ("1b00", "a longer one"), ("42aa", "bytes that break off"),
        ("0000", "bytes behind"), ("8101ff", "bytes behind an array"), ("1800", "a number longer than it need be"),
        ("190018", "the same in two bytes"), ("1a0000ffff", "in four"), ("1b00000000ffffffff", "in eight"),
        ("5801aa", "a length longer than it need be"), ("1bffffffffffffffff", "a number beyond 64 bits with a sign"),
        ("3bffffffffffffffff", "a negative one"), ("5f4101ff", "bytes of no definite length"),
        ("7f6161ff", "text of no definite length"), ("9f01ff", "an array of no definite length"),
        ("bf0102ff", "a map of no definite length"), ("61ff", "text that is no UTF-8"),
        ("62eda0", "text that breaks off in a character"), ("a201020103", "a name twice"),
        ("a26161016161 02", "a text twice as a name"), ("a14101 02", "bytes as a name"),
        ("a1f501", "a truth as a name"),
        ("a101", "a name without a value"), ("f6", "null"), ("f7", "undefined"), ("f818", "a simple value"),
        ("f90000", "a float"), ("fb3ff199999999999a", "a longer one"), ("c074", "a tag"), ("c001", "a tagged number"),
        ("1c", "a reserved length"), ("ff", "a break alone"), ("9affffffff", "more elements than there are bytes"),
        ("bb7fffffffffffffff", "more members than there are bytes"),
        ("5b7fffffffffffffff00", "more bytes than there are"),
    ])
    func `anything else is refused`(_ hex: String, _ what: Comment) {
        #expect(CBORValue.parse(bytes(hex)) == nil, what)
    }

    @Test func `what lies too deep is refused before it is followed`() {
        #expect(CBORValue.parse(bytes("8181818100")) != nil)
        #expect(CBORValue.parse(bytes("818181818100")) == nil)
        #expect(CBORValue.parse([UInt8](repeating: 0x81, count: 100_000) + [0]) == nil)
        #expect(CBORValue.parse(bytes("a101a101a101a101a10100")) == nil)
    }

    @Test func `a value is read from the beginning of more`() throws {
        let (value, rest) = try #require(CBORValue.parse(beginningOf: bytes("a10102f5ff")[...]))
        #expect(value == .map([.integer(1): .integer(2)]))
        #expect(Array(rest) == bytes("f5ff"))
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    }
}
