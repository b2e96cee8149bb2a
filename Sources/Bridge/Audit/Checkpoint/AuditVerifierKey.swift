import Crypto
import Foundation
import OAuth2

/// The public half of an ``AuditSigningKey``: what an auditor keeps outside the service.
///
/// Written as C2SP signed-note verifiers expect: `<name>+<key id in hex>+<base64 of 0x01 and the public key>`.
package struct AuditVerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// Signature type of Ed25519 (C2SP signed-note).
    static let ed25519: UInt8 = 0x01

    package let name: String
    package let publicKey: [UInt8]
    /// The first four bytes of SHA-256 over name, newline, signature type and public key.
    package let keyID: [UInt8]

    init(name: String, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
        keyID = Array(SHA256Hash(of: Array(name.utf8) + [0x0A, Self.ed25519] + publicKey).bytes.prefix(4))
    }

    /// Reads the text form; the key id must be the one that name and key give.
    package init?(_ text: String) {
        // Base64 may have a plus of its own, a name may not.
        let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, SignedNote.isKeyName(String(parts[0])), let field = Base64.decode(parts[2]),
            field.count == 33, field[0] == Self.ed25519
        else { return nil }
        self.init(name: String(parts[0]), publicKey: Array(field.dropFirst()))
        guard HexDigit.encode(keyID) == parts[1] else { return nil }
    }

    package var description: String {
        "\(name)+\(HexDigit.encode(keyID))+\(Base64.encode([Self.ed25519] + publicKey))"
    }

    /// Reads a file's text: one key a line; empty lines and lines that begin with `#` are skipped.
    /// - Returns: `nil` when a line is not a key, or there is none.
    package static func keys(in text: String) -> [AuditVerifierKey]? {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.isEmpty && !$0.hasPrefix("#") }
        let keys = lines.compactMap { AuditVerifierKey(String($0)) }
        return keys.count == lines.count && !keys.isEmpty ? keys : nil
    }

    func isValid(_ signature: [UInt8], for text: String) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: Array(text.utf8))
    }
}
