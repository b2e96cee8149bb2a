import Crypto
import CryptoExtras
import Testing

@testable import OAuth2

@Suite struct COSEKeyTests {
    private static let message = Array("signed".utf8)

    private static func ec(_ key: P256.Signing.PrivateKey) -> [CBORValue: CBORValue] {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
            .integer(-2): .bytes(Array(point[..<32])), .integer(-3): .bytes(Array(point[32...])),
        ]
    }

    @Test func `a key on P-256 verifies what it signed`() throws {
        let own = P256.Signing.PrivateKey()
        let key = try #require(VerificationKey(cose: .map(Self.ec(own))))
        #expect(key.coseAlgorithm == .es256)
        let signature = try own.signature(for: SHA256.hash(data: Self.message))
        #expect(key.isValid(Array(signature.rawRepresentation), for: Self.message, by: .es256))
        #expect(!key.isValid(Array(signature.rawRepresentation), for: Self.message + [0], by: .es256))
    }

    @Test func `a key of Ed25519 verifies what it signed`() throws {
        let own = Curve25519.Signing.PrivateKey()
        let key = try #require(
            VerificationKey(
                cose: .map([
                    .integer(1): .integer(1), .integer(3): .integer(-8), .integer(-1): .integer(6),
                    .integer(-2): .bytes(Array(own.publicKey.rawRepresentation)),
                ])))
        #expect(key.coseAlgorithm == .edDSA)
        #expect(key.isValid(Array(try own.signature(for: Self.message)), for: Self.message, by: .edDSA))
    }

    @Test func `a key of RSA verifies what it signed, with PKCS 1 and SHA-256 alone`() throws {
        let own = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let parts = try own.publicKey.getKeyPrimitives()
        let key = try #require(
            VerificationKey(
                cose: .map([
                    .integer(1): .integer(3), .integer(3): .integer(-257),
                    .integer(-1): .bytes(Array(parts.modulus)), .integer(-2): .bytes(Array(parts.publicExponent)),
                ])))
        #expect(key.coseAlgorithm == .rs256)
        let signature = try own.signature(for: SHA256.hash(data: Self.message), padding: .insecurePKCS1v1_5)
        #expect(key.isValid(Array(signature.rawRepresentation), for: Self.message, by: .rs256))
        #expect(!key.fits(.ps256))
    }

    @Test(arguments: [
        (3, CBORValue.integer(-257), "another kind's algorithm"), (3, .integer(-37), "an algorithm that is not taken"),
        (1, .integer(1), "another kind"), (-1, .integer(2), "another curve"), (-2, .bytes([1]), "half a point"),
        (-3, .bool(true), "a compressed point"),
        (-3, .bytes([UInt8](repeating: 0, count: 32)), "a point off the curve"),
    ])
    func `a key that is not what it says is refused`(_ label: Int64, _ value: CBORValue, _ what: Comment) {
        var members = Self.ec(P256.Signing.PrivateKey())
        members[.integer(label)] = value
        #expect(VerificationKey(cose: .map(members)) == nil, what)
        members[.integer(label)] = nil
        #expect(VerificationKey(cose: .map(members)) == nil, what)
    }

    @Test func `what is no map is no key`() { #expect(VerificationKey(cose: .array([])) == nil) }
}
