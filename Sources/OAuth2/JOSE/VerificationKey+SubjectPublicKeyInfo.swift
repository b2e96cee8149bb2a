import Crypto
import CryptoExtras
import Foundation

extension VerificationKey {
    /// What stands before the 32 bytes of an Ed25519 key (RFC 8410 §4).
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    /// Reads a public key as X.509 writes it, in DER (RFC 5280 §4.1): P-256, Ed25519 or RSA.
    /// - Returns: `nil` for another kind, and for bytes that are not the one DER form of the key.
    package init?(subjectPublicKeyInfo bytes: [UInt8]) {
        if bytes.count == Self.ed25519Prefix.count + 32, bytes.starts(with: Self.ed25519Prefix) {
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes.suffix(32)) else { return nil }
            try? self.init(key)
        } else if let key = try? P256.Signing.PublicKey(derRepresentation: bytes) {
            guard key.derRepresentation.elementsEqual(bytes) else { return nil }
            try? self.init(key)
        } else if let key = try? _RSA.Signing.PublicKey(derRepresentation: bytes) {
            guard key.derRepresentation.elementsEqual(bytes) else { return nil }
            try? self.init(key)
        } else {
            return nil
        }
    }
}
