import Crypto
import Foundation
import OAuth2

/// The key that all other keys of the provider are sealed under; it lives in a secret file, never in the database.
package struct MasterKey: Sendable {
    private let key: SymmetricKey

    /// - Parameter bytes: 32 of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Encrypts with AES-GCM.
    /// - Parameter name: what is sealed; only under this name it opens again, so that no two can be swapped.
    package func seal(_ content: [UInt8], name: String) throws -> String {
        let box = try AES.GCM.seal(
            content, using: derived("seal"), authenticating: Array(name.utf8))
        guard let combined = box.combined else { throw MasterKeyError(name: name) }
        return Base64URL.encode(Array(combined))
    }

    /// - Throws: ``MasterKeyError`` when this key did not seal it under this name.
    package func open(_ sealed: String, name: String) throws(MasterKeyError) -> [UInt8] {
        guard let bytes = Base64URL.decode(sealed),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let content = try? AES.GCM.open(box, using: derived("seal"), authenticating: Array(name.utf8))
        else { throw MasterKeyError(name: name) }
        return Array(content)
    }

    /// A key for one purpose, which tells nothing about the others (RFC 5869).
    func derived(_ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array("drawbridge \(purpose)".utf8), outputByteCount: 32)
    }
}

/// Something sealed does not open with the master key that is in use.
package struct MasterKeyError: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "\(name) was sealed with another master key, or is damaged" }
}
