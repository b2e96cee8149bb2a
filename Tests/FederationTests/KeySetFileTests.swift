import Bridge
import Crypto
import Federation
import Foundation
import JWTKit
import OAuth2
import Testing

/// A folder that is gone when the test is over.
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drawbridge-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
}

func fileSettings(_ path: String, algorithms: Set<SignatureAlgorithm> = TrustedIssuerSettings.defaultAlgorithms)
    -> TrustedIssuerSettings
{
    TrustedIssuerSettings(
        issuer: TestToken.issuer, audiences: ["drawbridge"], verification: .jwksFile(path: path),
        algorithms: algorithms)
}

/// Issuers whose key file holds the JWKs given.
func withKeyFile(
    _ keys: [[String: any Sendable]], algorithms: Set<SignatureAlgorithm> = TrustedIssuerSettings.defaultAlgorithms,
    _ body: (TrustedIssuers) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let path = folder + "/jwks.json"
        try Data(keySet(keys)).write(to: URL(fileURLWithPath: path))
        try await body(try await issuers(fileSettings(path, algorithms: algorithms)))
    }
}

@Suite struct KeySetFileTests {
    @Test func `an ES256 token is verified`() async throws {
        let key = ECKey(keyID: "k1")
        try await withKeyFile([key.jwk()]) { issuers in
            try await issuers.expectAlice(key.token())
        }
    }

    @Test(arguments: ["EdDSA", "Ed25519"], ["EdDSA", "Ed25519"])
    func `RFC 9864: an EdDSA token is verified by either name, of its own and of its key`(
        name: String, keysName: String
    ) async throws {
        let key = Curve25519.Signing.PrivateKey()
        let jwk: [String: any Sendable] = [
            "kty": "OKP", "crv": "Ed25519", "kid": "e", "alg": keysName,
            "x": Base64URL.encode(Array(key.publicKey.rawRepresentation)),
        ]
        let input = TestToken.unsigned(header: ["alg": name, "kid": "e"], claims: TestToken.claims())
        let token = input + "." + Base64URL.encode(Array(try key.signature(for: Array(input.utf8))))
        try await withKeyFile([jwk]) { issuers in
            try await issuers.expectAlice(token)
        }
    }

    @Test func `a key of the wrong use, operation, algorithm or shape is passed over`() async throws {
        let key = ECKey(keyID: "k1")
        let other = ECKey(keyID: "k2")
        let token = try key.token()
        let private64 = Base64URL.encode(Array(key.key.rawRepresentation))
        let changes: [[String: any Sendable]] = [
            ["use": "enc"], ["key_ops": ["sign"]], ["alg": "ES384"], ["alg": "HS256"], ["alg": 1], ["kty": "oct"],
            ["kty": "RSA"], ["crv": "P-384"], ["crv": "secp256k1"], ["x": "AA"], ["y": "not base64!"], ["kid": 1],
            ["d": private64],
        ]
        for change in changes {
            try await withKeyFile([key.jwk(change), other.jwk()]) { issuers in
                await issuers.expect(.unknownKey, of: token)
            }
        }
    }

    @Test func `a token without kid is verified by a key that is alone in fitting`() async throws {
        let key = ECKey(keyID: nil)
        let token = try key.token()
        try await withKeyFile([key.jwk()]) { issuers in
            try await issuers.expectAlice(token)
        }
        try await withKeyFile([key.jwk(), ECKey(keyID: "other").jwk()]) { issuers in
            await issuers.expect(.unknownKey, of: token)
        }
    }

    @Test func `another key under the same name is a bad signature`() async throws {
        let token = try ECKey(keyID: "k1").token()
        try await withKeyFile([ECKey(keyID: "k1").jwk()]) { issuers in
            await issuers.expect(.badSignature, of: token)
        }
    }

    @Test func `a signature of another length is a bad signature`() async throws {
        let key = ECKey(keyID: "k1")
        let token = try key.token()
        try await withKeyFile([key.jwk()]) { issuers in
            for signature in ["", "AA", String(repeating: "A", count: 86)] {
                let forged = token.split(separator: ".").prefix(2).joined(separator: ".") + "." + signature
                await issuers.expect(.badSignature, of: forged)
            }
        }
    }

    @Test func `a reload takes new keys, and keeps the old ones when the file is broken`() async throws {
        let (old, new) = (ECKey(keyID: "old"), ECKey(keyID: "new"))
        try await withTemporaryFolder { folder in
            let file = URL(fileURLWithPath: folder + "/jwks.json")
            try Data(keySet([old.jwk()])).write(to: file)
            let issuers = try await issuers(fileSettings(file.path))
            await issuers.expect(.unknownKey, of: try new.token())
            try Data(keySet([new.jwk()])).write(to: file)
            try await issuers.reload()
            try await issuers.expectAlice(new.token())
            await issuers.expect(.unknownKey, of: try old.token())
            try Data("{".utf8).write(to: file)
            await #expect(throws: TrustedIssuerProblems.self) { try await issuers.reload() }
            try await issuers.expectAlice(new.token())
        }
    }

    @Test(arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1]}"#, #"{"keys":[],"keys":[]}"#])
    func `a file without keys stops the start`(text: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/jwks.json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            await #expect(throws: TrustedIssuerProblems.self) { try await issuers(fileSettings(path)) }
        }
    }

    @Test func `a missing file stops the start`() async throws {
        await #expect(throws: TrustedIssuerProblems.self) { try await issuers(fileSettings("/nonexistent/jwks")) }
    }
}
