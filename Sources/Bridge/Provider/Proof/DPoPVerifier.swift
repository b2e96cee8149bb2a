package import OAuth2

/// Decides whether a request proves that its sender holds a key (RFC 9449 §4.3).
package struct DPoPVerifier: Sendable {
    /// How old a proof may be without a nonce, and how far ahead its clock may be.
    static let longestAge = Duration.seconds(60)
    static let leeway = Duration.seconds(10)
    /// How far a clock may be off when a nonce shows that the proof is fresh (§11.1).
    static let leewayWithNonce = Duration.seconds(900)

    /// What a request may have been sent to. A proof counts once, so it does not matter at which of them it is shown.
    private let origins: [WebOrigin]
    private let nonces: DPoPNonces
    private let replays: any ReplayGuard
    /// Asked as well, so that one process at least sees a proof twice while the shared guard is away.
    private let own: InProcessReplayGuard
    /// Whether a proof without a nonce is refused.
    private let requiresNonce: Bool

    package init(
        origins: [WebOrigin], nonces: DPoPNonces, replays: any ReplayGuard, requiresNonce: Bool = false,
        time: TimeSource
    ) {
        own = InProcessReplayGuard(time: time)
        self.origins = origins
        self.nonces = nonces
        self.replays = replays
        self.requiresNonce = requiresNonce
    }

    /// For `DPoP-Nonce`; `nil` when none can be made now.
    package func nonce(at now: Timestamp) -> String? { nonces.current(at: now) }

    /// A proof that holds, as far as can be said without asking whether it was shown before.
    package struct Unclaimed: Sendable {
        /// The thumbprint of the key (RFC 7638).
        package let keyThumbprint: String
        fileprivate let id: TokenID
        /// From then on the proof is refused by its time.
        fileprivate let end: Timestamp
    }

    /// Verifies the proof of a request, but for its replay: nothing is let in by it before ``claim(_:at:)``.
    /// - Parameter accessToken: the token that comes with it, which `ath` must name; `nil` where none does.
    /// - Throws: `invalid_dpop_proof` or `use_dpop_nonce`, the ``DPoPRefusal`` as detail.
    package func judge(
        _ presented: PresentedProof, accessToken: Secret<String>? = nil, at now: Timestamp
    ) throws(OAuthError) -> Unclaimed {
        let (proof, end) = try check(presented, accessToken, at: now)
        return Unclaimed(keyThumbprint: proof.keyThumbprint, id: Self.replayID(proof), end: end)
    }

    /// Uses up a proof. Where a token comes with it, that is judged before: anyone can make proofs with keys of their
    /// own, and must not fill the memory of proofs by that alone.
    /// - Throws: `invalid_dpop_proof` for one that was shown before; ``StorageError``.
    package func claim(_ proof: Unclaimed, at now: Timestamp) async throws {
        try Self.check(own.claim(proof.id, until: proof.end, at: now))
        try Self.check(try await replays.claim(proof.id, until: proof.end, at: now))
    }

    private static func check(_ claim: ReplayClaim) throws {
        switch claim {
        case .claimed: return
        case .claimedBefore: throw OAuthError(.replayed)
        // Nothing else decides about proofs, so one that cannot be remembered cannot be believed.
        case .full: throw StorageError.unavailable("the memory of proofs is full")
        }
    }

    /// Everything but the replay.
    /// - Returns: the proof, and the instant from which it is refused by its time.
    private func check(
        _ presented: PresentedProof, _ accessToken: Secret<String>?, at now: Timestamp
    ) throws(OAuthError) -> (DPoPProof, Timestamp) {
        guard let text = presented.fields.first else { throw OAuthError(.missing) }
        guard presented.fields.count == 1 else { throw OAuthError(.repeated) }
        let proof: DPoPProof
        do { proof = try DPoPProof(text) } catch { throw OAuthError(error) }
        let targets = origins.map { $0.description + presented.path }
        if let flaw = proof.flaw(method: presented.method, targets: targets) { throw OAuthError(flaw) }
        if let accessToken, !proof.fits(accessToken: accessToken.expose()) { throw OAuthError(.wrongToken) }
        return (proof, try end(of: proof, at: now))
    }

    private func end(of proof: DPoPProof, at now: Timestamp) throws(OAuthError) -> Timestamp {
        var nonceEnd: Timestamp?
        if let nonce = proof.nonce {
            nonceEnd = nonces.end(of: nonce, at: now)
            guard nonceEnd != nil else { throw OAuthError(.nonceStale) }
        } else if requiresNonce {
            throw OAuthError(.nonceMissing)
        }
        guard let issuedAt = Timestamp(numericDate: proof.issuedAt) else { throw OAuthError(.wrongTime) }
        let latest = issuedAt + (nonceEnd == nil ? Self.longestAge : Self.leewayWithNonce)
        let earliest = issuedAt - (nonceEnd == nil ? Self.leeway : Self.leewayWithNonce)
        guard (earliest...latest).contains(now) else { throw OAuthError(.wrongTime) }
        for bound in [proof.notBefore, proof.expiresAt].compactMap(\.self)
        where Timestamp(numericDate: bound) == nil {
            throw OAuthError(.wrongTime)
        }
        let leeway = nonceEnd == nil ? Self.leeway : Self.leewayWithNonce
        if let start = proof.notBefore.flatMap({ Timestamp(numericDate: $0) }), now + leeway < start {
            throw OAuthError(.wrongTime)
        }
        if let expiry = proof.expiresAt.flatMap({ Timestamp(numericDate: $0) }), expiry + leeway <= now {
            throw OAuthError(.wrongTime)
        }
        // Both ends are said by the proof itself, so a second use finds the first one under the same end.
        return min(nonceEnd ?? latest, latest) + .milliseconds(1)
    }

    /// Under a name of its own and the key's, so that no one can use up another's proof, or a login token.
    private static func replayID(_ proof: DPoPProof) -> TokenID {
        TokenID(rawValue: SHA256Hash(of: "dpop \(proof.keyThumbprint) \(proof.id)").base64URL)
    }
}

extension OAuthError {
    /// A proof that does not hold.
    package init(_ flaw: DPoPRefusal) {
        self.init(flaw.code, flaw.publicDescription, detail: flaw.rawValue)
    }
}
