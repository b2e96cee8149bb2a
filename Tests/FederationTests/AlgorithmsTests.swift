import Bridge
import Crypto
import Federation
import Foundation
import JWTKit
import OAuth2
import Testing

/// Every algorithm that can be pinned for an issuer, with tokens by another implementation.
@Suite struct AlgorithmsTests {
    /// A key pair of jwt-kit's and the JWK of its public half.
    struct Signer: Sendable {
        let algorithm: SignatureAlgorithm
        let jwk: [String: any Sendable]
        let token: String
    }

    private static func signers() async throws -> [Signer] {
        let rsa = try AlgorithmConfusionTests.rsa()
        let (p256, p384, p521) = (ES256PrivateKey(), ES384PrivateKey(), ES512PrivateKey())
        let ed25519 = Curve25519.Signing.PrivateKey()
        func point(_ curve: String, _ raw: Data) -> [String: any Sendable] {
            let half = raw.count / 2
            return [
                "kty": "EC", "crv": curve, "kid": "k", "x": Base64URL.encode(Array(raw.prefix(half))),
                "y": Base64URL.encode(Array(raw.suffix(half))),
            ]
        }
        let rsaKey = rsa.jwk.merging(["kid": "k"]) { $1 }
        let pairs: [(SignatureAlgorithm, [String: any Sendable], (JWTKeyCollection) async throws -> Void)] = [
            (.rs256, rsaKey, { await $0.add(rsa: rsa.algorithm, digestAlgorithm: .sha256, kid: "k") }),
            (.rs384, rsaKey, { await $0.add(rsa: rsa.algorithm, digestAlgorithm: .sha384, kid: "k") }),
            (.rs512, rsaKey, { await $0.add(rsa: rsa.algorithm, digestAlgorithm: .sha512, kid: "k") }),
            (.ps256, rsaKey, { await $0.add(pss: rsa.algorithm, digestAlgorithm: .sha256, kid: "k") }),
            (.ps384, rsaKey, { await $0.add(pss: rsa.algorithm, digestAlgorithm: .sha384, kid: "k") }),
            (.ps512, rsaKey, { await $0.add(pss: rsa.algorithm, digestAlgorithm: .sha512, kid: "k") }),
            (
                .es256,
                point(
                    "P-256",
                    try P256.Signing.PublicKey(pemRepresentation: p256.publicKey.pemRepresentation).rawRepresentation),
                { await $0.add(ecdsa: p256, kid: "k") }
            ),
            (
                .es384,
                point(
                    "P-384",
                    try P384.Signing.PublicKey(pemRepresentation: p384.publicKey.pemRepresentation).rawRepresentation),
                { await $0.add(ecdsa: p384, kid: "k") }
            ),
            (
                .es512,
                point(
                    "P-521",
                    try P521.Signing.PublicKey(pemRepresentation: p521.publicKey.pemRepresentation).rawRepresentation),
                { await $0.add(ecdsa: p521, kid: "k") }
            ),
            (
                .edDSA,
                [
                    "kty": "OKP", "crv": "Ed25519", "kid": "k",
                    "x": Base64URL.encode(Array(ed25519.publicKey.rawRepresentation)),
                ],
                {
                    await $0.add(
                        eddsa: try EdDSA.PrivateKey(
                            d: Base64URL.encode(Array(ed25519.rawRepresentation)), curve: .ed25519), kid: "k")
                }
            ),
        ]
        var signers: [Signer] = []
        for (algorithm, jwk, add) in pairs {
            let keys = JWTKeyCollection()
            try await add(keys)
            signers.append(
                Signer(
                    algorithm: algorithm, jwk: jwk,
                    token: try await keys.sign(AlgorithmConfusionTests.Claims(), kid: "k")))
        }
        return signers
    }

    @Test func `each is verified where it is pinned, by no other name, and not when a bit has changed`() async throws {
        let signers = try await Self.signers()
        #expect(Set(signers.map(\.algorithm)) == Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric }))
        for signer in signers {
            try await withKeyFile([signer.jwk], algorithms: [signer.algorithm]) { issuers in
                try await issuers.expectAlice(signer.token)
                var parts = signer.token.split(separator: ".").map(String.init)
                var signature = try #require(Base64URL.decode(parts[2]))
                signature[signature.count / 2] ^= 1
                parts[2] = Base64URL.encode(signature)
                await issuers.expect(.badSignature, of: parts.joined(separator: "."))
                for other in signers where other.algorithm != signer.algorithm {
                    await issuers.expect(.wrongAlgorithm, of: other.token)
                }
            }
        }
    }

    @Test func `a key verifies no algorithm of another kind, whatever is allowed`() async throws {
        let signers = try await Self.signers()
        for key in signers {
            try await withKeyFile([key.jwk], algorithms: Set(signers.map(\.algorithm))) { issuers in
                for signer in signers where signer.algorithm != key.algorithm {
                    // One RSA key serves six algorithms.
                    if [signer, key].allSatisfy({ $0.jwk["kty"] as? String == "RSA" }) { continue }
                    await issuers.expect(.unknownKey, of: signer.token)
                }
            }
        }
    }

    @Test func `clients of our own sign with fewer`() async throws {
        for signer in try await Self.signers() {
            let jwk = try #require(JSONValue.parse(TestToken.json(signer.jwk)))
            let isUsual = VerificationKey.usualAlgorithms.contains(signer.algorithm)
            let isVerified = try VerificationKey(jwk: jwk)?.verifies(#require(CompactJWS(signer.token))) ?? false
            #expect(isVerified == isUsual, "\(signer.algorithm)")
        }
    }
}
