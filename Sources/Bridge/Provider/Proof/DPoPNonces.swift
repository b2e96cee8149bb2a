import OAuth2

/// The server's nonces for DPoP proofs (RFC 9449 §8): they say when a proof was made at the earliest, whatever the
/// app's clock shows.
///
/// `<end>.<kid>.<MAC>`; nothing is stored, and every server that has the keys knows every server's nonces. All that
/// are made in one span are the same: a nonce is about time, single use is the `jti`'s part.
package struct DPoPNonces: Sendable {
    /// A nonce is good for one to two spans.
    static let span: Int64 = 150

    private let keys: Reloadable<SecretKeyRing>

    package init(keys: Reloadable<SecretKeyRing>) { self.keys = keys }

    /// The nonce of the present span.
    /// - Returns: `nil` when no key may sign now.
    package func current(at now: Timestamp) -> String? {
        let end = (now.seconds / Self.span + 2) * Self.span
        guard let keyID = keys.current.signingKeyID(at: now), let code = code(String(end), keyID: keyID, at: now) else {
            return nil
        }
        return DatedText(expiresAt: Timestamp(seconds: end), keyID: keyID, bytes: code).text
    }

    /// When a nonce stops being good; `nil` for one that is not good now.
    func end(of nonce: String, at now: Timestamp) -> Timestamp? {
        guard let presented = DatedText(nonce),
            let expected = code(String(presented.expiresAt.seconds), keyID: presented.keyID, at: now),
            ConstantTime.equals(bytes: presented.bytes, expected)
        else { return nil }
        return now < presented.expiresAt ? presented.expiresAt : nil
    }

    private func code(_ end: String, keyID: String, at now: Timestamp) -> [UInt8]? {
        keys.current.authenticationCode(for: Array(end.utf8), purpose: .dpopNonce, keyID: keyID, at: now)
            .map { Array($0.prefix(16)) }
    }
}
