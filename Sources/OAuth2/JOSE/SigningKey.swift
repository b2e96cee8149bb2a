import Crypto
import CryptoExtras
import Foundation

/// A private key that signs tokens, and its public half.
package struct SigningKey: Sendable {
    private enum Key {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    package let algorithm: SigningAlgorithm
    /// `kid`: the RFC 7638 thumbprint, so that one key never has two names.
    package let id: String
    package let publicKey: VerificationKey
    private let key: Key

    private init(_ key: Key) throws {
        self.key = key
        switch key {
        case .p256(let key):
            algorithm = .es256
            publicKey = try VerificationKey(key.publicKey)
        case .ed25519(let key):
            algorithm = .edDSA
            publicKey = try VerificationKey(key.publicKey)
        case .rsa(let key):
            algorithm = .rs256
            publicKey = try VerificationKey(key.publicKey)
        }
        id = publicKey.thumbprint
    }

    /// Makes a new key.
    package static func generate(_ algorithm: SigningAlgorithm) throws -> SigningKey {
        switch algorithm {
        case .es256: try SigningKey(.p256(P256.Signing.PrivateKey()))
        case .edDSA: try SigningKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .rs256: try SigningKey(.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)))
        }
    }

    /// Reads what ``privateBytes`` gave.
    package init(algorithm: SigningAlgorithm, privateBytes bytes: [UInt8]) throws {
        switch algorithm {
        case .es256: try self.init(.p256(P256.Signing.PrivateKey(rawRepresentation: bytes)))
        case .edDSA: try self.init(.ed25519(Curve25519.Signing.PrivateKey(rawRepresentation: bytes)))
        case .rs256: try self.init(.rsa(_RSA.Signing.PrivateKey(derRepresentation: bytes)))
        }
    }

    /// The private key, to be sealed before it is kept anywhere.
    package var privateBytes: [UInt8] {
        switch key {
        case .p256(let key): Array(key.rawRepresentation)
        case .ed25519(let key): Array(key.rawRepresentation)
        case .rsa(let key): Array(key.derRepresentation)
        }
    }

    func signature(for message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsa(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    /// `at_hash`: the left half of the hash that belongs to the algorithm (Core §3.1.3.6).
    package func halfHash(of text: String) -> String {
        switch algorithm {
        case .es256, .rs256: SHA256Hash(of: text).base64URLOfHalf
        case .edDSA: Base64URL.encode(Array(SHA512.hash(data: Array(text.utf8))).prefix(32))
        }
    }
}
