import Foundation
import OAuth2
import Testing
import TestSupport

@Suite struct EncodingTests {
    @Test func `constant time comparison agrees with equality`() {
        #expect(ConstantTime.equals([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equals([], []))
    }

    @Test func `a hash is SHA-256 of the text's bytes, whole or its left half`() {
        // The first example of FIPS 180-2, appendix B.
        let hash = SHA256Hash(of: "abc")
        #expect(HexDigit.encode(hash.bytes) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(hash.base64URL == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
        #expect(hash.base64URLOfHalf == "ungWv48Bz-pBQUDeXa4iIw" && hash.leftHalf == Array(hash.bytes[..<16]))
        for text in ["", "ü\u{2028}", String(repeating: "x", count: 200)] {
            #expect(SHA256Hash(of: text).bytes == SHA256Hash(of: Array(text.utf8)).bytes)
        }
    }

    @Test func `percent encoding keeps only unreserved characters`() {
        #expect(PercentEncoding.encode("/a b?c=ü&~._-9Z") == "%2Fa%20b%3Fc%3D%C3%BC%26~._-9Z")
    }

    @Test func `hexadecimal digits of both cases have their value`() {
        #expect("0123456789abcdefABCDEF".utf8.compactMap(HexDigit.value).count == 22)
        #expect(HexDigit.value(UInt8(ascii: "g")) == nil)
        #expect(HexDigit.encode([0x00, 0x9F, 0xFF]) == "009fff")
    }

    @Test(arguments: [
        "", "plain", "quote \" backslash \\", "\u{0}\u{1}\u{1f}\u{7f}", "line\nfeed\r\ttab", "<script>",
        "\u{2028}\u{2029}",
        "\u{2027}\u{202a}é€😀", "\u{e2}\u{80}\u{a8}",
    ])
    func `a quoted text is JSON that reads back as the text`(text: String) throws {
        let json = JSONText.quoted(text)
        #expect(try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8)) == [text])
        #expect(!json.contains("<") && !json.contains("\u{2028}") && !json.contains("\u{2029}"))
        #expect(json.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    @Test func `random texts are quoted so that they read back`() throws {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<2_000 {
            let scalars = (0..<12).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator)) }
            let text = String(String.UnicodeScalarView(scalars))
            let decoded = try JSONDecoder().decode([String].self, from: Data("[\(JSONText.quoted(text))]".utf8))
            #expect(decoded.first?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        }
    }

    @Test func `an object is written member by member in order`() {
        var object = JSONObjectWriter()
        object.add("text", "a\"b")
        object.add("absent", nil as String?)
        object.addNull("nothing")
        object.add("number", -5)
        object.add("flag", true)
        object.add("list", ["x", "y"])
        object.add("empty", [])
        object.add("raw", json: "{}")
        #expect(
            object.finishedText()
                == #"{"text":"a\"b","nothing":null,"number":-5,"flag":true,"list":["x","y"],"empty":[],"raw":{}}"#)
    }

    @Test func `an object without members is an object`() {
        #expect(JSONObjectWriter().finishedText() == "{}")
    }
}
