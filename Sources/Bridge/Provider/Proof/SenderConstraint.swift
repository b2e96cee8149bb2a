import OAuth2

/// Holds a token that is bound to a key to that key (RFC 9449 §7).
package struct SenderConstraint: Sendable {
    /// `nil` accepts no proof, and so no token that is bound.
    private let proofs: DPoPVerifier?

    package init(proofs: DPoPVerifier?) { self.proofs = proofs }

    /// Finds that a token was presented as it must be.
    /// - Parameter thumbprint: that of the key the token is bound to; `nil` for one that anybody may use.
    /// - Throws: ``BearerRefusal``; `invalid_dpop_proof` or `use_dpop_nonce`; ``StorageError``.
    package func check(
        _ presented: PresentedAccessToken, boundTo thumbprint: String?, at now: Timestamp
    ) async throws {
        switch (thumbprint, presented.scheme) {
        case (nil, .bearer): return
        // §7.1: the scheme says that the token is bound, and this one is not.
        case (nil, .dpop): throw BearerRefusal.notSenderConstrained
        // §7.2: without the proof it may be anybody who saw it.
        case (.some, .bearer): throw BearerRefusal.senderConstrained
        case (let thumbprint?, .dpop):
            guard let proofs else { throw BearerRefusal.senderConstrained }
            let proof = try proofs.judge(presented.proof, accessToken: presented.token, at: now)
            guard Self.isKey(proof.keyThumbprint, thumbprint) else { throw BearerRefusal.wrongProofKey }
            try await proofs.claim(proof, at: now)
        }
    }

    /// Whether a token, code or secret may be used with the key that was shown, if any.
    /// - Parameter bound: what it is bound to; unbound, it takes any key and none.
    static func permits(_ bound: String?, shown: String?) -> Bool {
        guard let bound else { return true }
        guard let shown else { return false }
        return isKey(shown, bound)
    }

    /// Whether what was shown is the key that something is bound to; unbound, it takes none.
    static func matches(_ bound: String?, shown: String?) -> Bool {
        permits(bound, shown: shown) && (bound == nil) == (shown == nil)
    }

    /// Whether two thumbprints are of one key.
    static func isKey(_ shown: String, _ bound: String) -> Bool { ConstantTime.equals(shown.utf8, bound.utf8) }
}
