import Crypto

/// Facts that a browser carries from one page to the next, sealed: it can neither read nor change them, and they go
/// stale by themselves. Nothing is stored, so visitors who never sign in leave nothing behind.
package struct ShortLivedSeal: Sendable {
    private let keys: Reloadable<SecretKeyRing>
    private let purpose: DerivedKeyPurpose
    private let time: TimeSource

    /// - Parameter purpose: what is sealed; one purpose's seal opens nothing of another.
    package init(keys: Reloadable<SecretKeyRing>, purpose: DerivedKeyPurpose, time: TimeSource) {
        self.keys = keys
        self.purpose = purpose
        self.time = time
    }

    /// - Parameters:
    ///   - binding: must be given again to open it.
    ///   - lifetime: at most ``KeyAlgorithm/longestUse`` of the key.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may sign now.
    package func seal(_ content: [UInt8], binding: String = "", lifetime: Duration) throws -> String {
        let now = time.now()
        let expiresAt = Timestamp(seconds: (now + min(lifetime, KeyAlgorithm.hs256.longestUse)).seconds)
        guard let keyID = keys.current.signingKeyID(at: now),
            let key = keys.current.derivedKey(keyID, purpose: purpose, at: now),
            let sealed = try? AES.GCM.seal(content, using: key, authenticating: Self.context(expiresAt, binding)),
            let bytes = sealed.combined
        else { throw StorageError.unavailable("no key may seal now") }
        return DatedText(expiresAt: expiresAt, keyID: keyID, bytes: Array(bytes)).text
    }

    /// The content; `nil` when it was changed, is too old, or was bound to something else.
    package func open(_ text: String, binding: String = "") -> [UInt8]? {
        let now = time.now()
        guard let sealed = DatedText(text), now < sealed.expiresAt,
            let key = keys.current.derivedKey(sealed.keyID, purpose: purpose, at: now),
            let box = try? AES.GCM.SealedBox(combined: sealed.bytes),
            let content = try? AES.GCM.open(
                box, using: key, authenticating: Self.context(sealed.expiresAt, binding))
        else { return nil }
        return Array(content)
    }

    /// An instant before which a text was not sealed, whichever node's clock it was sealed by; `nil` for no such text.
    ///
    /// It follows from the end, which is unchanged in a text that opens.
    /// - Parameter lifetime: that it was sealed with, at most ``KeyAlgorithm/longestUse`` of the key.
    static func start(of text: String, lifetime: Duration) -> Timestamp? {
        DatedText(text).map { $0.expiresAt - lifetime - TimeSource.nodeTolerance }
    }

    private static func context(_ expiresAt: Timestamp, _ binding: String) -> [UInt8] {
        Array("\(expiresAt.seconds) \(binding)".utf8)
    }
}
