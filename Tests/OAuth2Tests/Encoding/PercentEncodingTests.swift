import OAuth2
import Testing

@Suite struct PercentEncodingTests {
    private func decode(_ text: String, plusIsSpace: Bool = false) -> [UInt8]? {
        PercentEncoding.decode(bytes: Array(text.utf8)[...], plusIsSpace: plusIsSpace)
    }

    @Test(arguments: ["%", "a%", "%4", "%4g", "%g4", "a%2", "%%20", "%+1"])
    func `a percent sign that two digits do not follow is refused`(_ text: String) {
        #expect(decode(text) == nil)
        #expect(decode(text, plusIsSpace: true) == nil)
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `an escape is decoded once, and a plus is a space in forms alone`() {
        #expect(decode("a%2520b+%2b") == Array("a%20b++".utf8))
        #expect(decode("a%2520b+%2b", plusIsSpace: true) == Array("a%20b +".utf8))
    }

    @Test func `every octet comes back from either case of its escape`() {
        for octet in UInt8.min...UInt8.max {
            let digits = HexDigit.encode([octet])
            #expect(decode("%" + digits) == [octet])
            #expect(decode("%" + digits.uppercased()) == [octet])
        }
    }

    @Test func `octets that are no UTF-8 are bytes, and no text`() {
        #expect(decode("%ff") == [0xFF])
        #expect(PercentEncoding.decode("%ff") == nil)
    }

    @Test func `a refused octet is refused from an escape, not as itself`() {
        func decode(_ text: String) -> [UInt8]? {
            PercentEncoding.decode(bytes: Array(text.utf8)[...]) { $0 == UInt8(ascii: "/") }
        }
        #expect(decode("a/b") == Array("a/b".utf8))
        #expect(decode("a%2Fb") == nil)
    }
}
