import OAuth2
import Testing
import TestSupport

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 section 10 come out without padding`(plain: String, encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test func `the URL-safe alphabet is used`() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test(arguments: ["Zg==", "Zm9v=", "+_-A", "/AAA", "Zm9vY", "Zm 9", "Zh", "Zm9", "ä"])
    func `a text that encoding would not give is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `every length of bytes survives the round trip`() {
        var generator = SplitMix64(seed: 1)
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func `no two texts decode to the same bytes`() {
        var generator = SplitMix64(seed: 2)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                })
            if let bytes = Base64URL.decode(text) { #expect(Base64URL.encode(bytes) == text) }
        }
    }
}
