import Bridge
import Foundation
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct CookieHeaderTests {
    static let cases: [(String, String?)] = [
        ("__Host-drawbridge_session=abc", "abc"), ("a=1; __Host-drawbridge_session=abc; b=2", "abc"),
        ("a=1;__Host-drawbridge_session=abc", "abc"), ("__Host-drawbridge_session=", ""),
        ("__Host-drawbridge_session=abc; __Host-drawbridge_session=abc", nil),
        ("__Host-drawbridge_session=abc; __Host-drawbridge_session=", nil),
        ("x__Host-drawbridge_session=abc", nil), ("__Host-drawbridge_sessions=abc", nil),
        ("__host-drawbridge_session=abc", nil), ("__Host-drawbridge_session", nil), ("", nil), (";;;", nil),
        ("__Host-drawbridge_session=\"abc\"", nil), ("__Host-drawbridge_session=a b", nil),
        ("__Host-drawbridge_session=a,b", nil), ("__Host-drawbridge_session=a\\b", nil),
        ("__Host-drawbridge_session=é", nil), ("a=__Host-drawbridge_session=abc", nil),
        ("__Host-drawbridge_session =abc", nil), ("__Host-drawbridge_session=a=b", "a=b"),
    ]

    @Test(arguments: cases)
    func `only an unmistakable cookie counts`(header: String, value: String?) {
        #expect(CookieHeader.value(of: SessionCookies.secretName, in: header) == value)
    }
}

@Suite struct HeaderTextTests {
    @Test(arguments: [
        ("alice", "alice"), ("auth0|5f7c", "auth0|5f7c"), ("a b", "a%20b"), ("100%", "100%25"), ("jörg", "j%C3%B6rg"),
        ("a\r\nSet-Cookie: x", "a%0D%0ASet-Cookie:%20x"), ("", ""), ("Doe, Jane", "Doe%2C%20Jane"),
    ])
    func `any subject is a safe header value`(text: String, encoded: String) {
        #expect(HeaderText.encode(text) == encoded)
    }
}

/// Seeded, so that a failure can be repeated.
@Suite struct ParserFuzzTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33 | state << 31
        }
    }

    private static func mutated(_ seeds: [String], alphabet: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = Array((seeds.randomElement(using: &dice) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...6, using: &dice) {
            let byte = alphabet.randomElement(using: &dice) ?? 0
            switch Int.random(in: 0..<3, using: &dice) {
            case 0 where !bytes.isEmpty: bytes[Int.random(in: 0..<bytes.count, using: &dice)] = byte
            case 1 where !bytes.isEmpty: bytes.remove(at: Int.random(in: 0..<bytes.count, using: &dice))
            default: bytes.insert(byte, at: Int.random(in: 0...bytes.count, using: &dice))
            }
        }
        return bytes
    }

    @Test func `what a JSON body is taken for, Foundation reads the same`() throws {
        var dice = Dice(state: 20_251_121)
        let seeds = [
            #"{"ttl":30,"redirect":"/a"}"#, #"{"a":"\u00e9","b":null,"c":true}"#, #"{"x":-0,"y":1.5e3}"#, "{}",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let bytes = Self.mutated(
                seeds, alphabet: Array(#"{}[]":,\ue0129.-+eEtrufalsn"#.utf8) + [0, 0xC3, 0xA9, 0xFF, 10], &dice)
            guard let object = JSONValue.parse(bytes)?.object else { continue }
            accepted += 1
            let reading = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            #expect(Set(object.keys) == Set(reading.keys))
            for (name, value) in object {
                if let text = value.string { #expect(reading[name] as? String == text) }
            }
        }
        #expect(accepted > 1000)
    }

    @Test func `cookies, parameters, languages and demands survive anything`() {
        var dice = Dice(state: 42)
        let seeds = [
            "__Host-drawbridge_session=abc; a=b", "token=abc&redirect=%2Fa&token=d", "de-AT,en;q=0.5,*;q=0.1",
            "acr=aal2&max_age=60", "Bearer abc",
        ]
        let alphabet: [UInt8] = Array("=;&%, q.0159-*_ab\"".utf8) + [0, 9, 10, 13, 0x7F, 0x80, 0xFF]
        for _ in 0..<20_000 {
            let bytes = Self.mutated(seeds, alphabet: alphabet, &dice)
            let text = String(decoding: bytes, as: UTF8.self)
            if let value = CookieHeader.value(of: SessionCookies.secretName, in: text) {
                let pairs = text.split(separator: ";").map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
                }
                #expect(
                    pairs.filter { $0.hasPrefix("__Host-drawbridge_session=") } == [
                        "__Host-drawbridge_session=\(value)"
                    ])
            }
            let parameters = RedemptionParameters(parsing: bytes)
            #expect(parameters.isTokenRepeated || parameters.tokens.count <= 1)
            #expect(["en", "de"].contains(LanguagePreference.choose(from: ["en", "de"], accepting: text)))
            if let query = try? CheckParameters(FormParameters(parsing: text.utf8)),
                let demand = try? AuthenticationDemand(query)
            {
                let challenge = AuthenticationChallenge.text(
                    acrValues: demand.acrValues, maximumAge: demand.maximumAge)
                #expect(challenge.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            }
        }
    }
}
