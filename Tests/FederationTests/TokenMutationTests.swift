import Bridge
import Federation
import Foundation
import OAuth2
import Testing
import TestSupport

@Suite struct TokenMutationTests {
    static func mutated(_ token: String, using generator: inout SplitMix64) -> String {
        var bytes = Array(token.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: 0...127, using: &generator)
            case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<7, using: &generator)
            case 2: bytes.remove(at: position)
            case 3: bytes.insert(UInt8.random(in: 32...126, using: &generator), at: position)
            case 4: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &generator))
            default: bytes.removeSubrange(position..<min(bytes.count, position + 8))
            }
            if bytes.isEmpty { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no mutation of a good token is good`(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let key = ECKey(keyID: "k1")
        let settings = hmacSettings {
            $0.subjectPrefix = "h:"
            $0.clients = ["app"]
        }
        try await withTemporaryFolder { folder in
            let path = folder + "/jwks.json"
            try Data(keySet([key.jwk()])).write(to: URL(fileURLWithPath: path))
            var file = fileSettings(path)
            file.issuer = "https://file.example"
            file.subjectPrefix = "f:"
            file.clients = ["app"]
            let issuers = try await TrustedIssuers([settings, file], logger: quiet)
            let tokens = [TestToken.hmac(), try key.token(TestToken.claims(["iss": "https://file.example"]))]
            for token in tokens {
                _ = try await issuers.authenticate(token)
                for _ in 0..<1500 {
                    let other = Self.mutated(token, using: &generator)
                    guard other != token else { continue }
                    await #expect(throws: BearerRefusal.self, "seed \(seed): \(other)") {
                        try await issuers.authenticate(other)
                    }
                }
            }
        }
    }

    @Test func `an ES256 signature has one spelling only in its text`() async throws {
        let key = ECKey(keyID: "k1")
        let token = try key.token()
        try await withKeyFile([key.jwk()]) { issuers in
            // The last character of 64 bytes in base64url carries four unused bits.
            let last = token.utf8.last.map { Character(Unicode.Scalar($0)) } ?? "A"
            for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" where other != last {
                await #expect(throws: BearerRefusal.self) {
                    try await issuers.authenticate(String(token.dropLast()) + String(other))
                }
            }
        }
    }
}
