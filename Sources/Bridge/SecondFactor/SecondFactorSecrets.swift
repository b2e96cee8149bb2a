import Crypto
import OAuth2

/// Keeps TOTP secrets unreadable for whoever has the database alone.
package struct SecondFactorSecrets: Sendable {
    private let key: SymmetricKey

    /// - Parameter masterKey: the server's secret for what rests encrypted, at least 32 bytes.
    package init(masterKey: Secret<[UInt8]>) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: masterKey.expose()), info: Array("drawbridge second factor".utf8),
            outputByteCount: 32)
    }

    /// Seals a secret for one user: it opens for no other.
    package func seal(_ secret: [UInt8], for subject: Subject) throws -> String {
        let box = try AES.GCM.seal(secret, using: key, authenticating: Array(subject.rawValue.utf8))
        guard let bytes = box.combined else { throw StorageError.corrupt("a second factor cannot be sealed") }
        return Base64URL.encode(Array(bytes))
    }

    /// - Throws: ``StorageError/corrupt(_:)`` when it was sealed with another key or for another user.
    package func open(_ sealed: String, for subject: Subject) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(sealed), let box = try? AES.GCM.SealedBox(combined: bytes),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(subject.rawValue.utf8))
        else { throw StorageError.corrupt("a second factor cannot be opened with this master key") }
        return Array(secret)
    }
}
