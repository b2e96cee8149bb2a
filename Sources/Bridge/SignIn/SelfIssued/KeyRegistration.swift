import OAuth2

/// Links a phone's key to the user of an app that is signed in here (contract §10; ADR-0044).
///
/// A linked key signs its user in for good, which is more than any app's session is. So it takes an app that the
/// operator named for it, a session that may approve sign-ins (contract §16), and a person who signed in a moment ago,
/// with everything that the account has: the same as in the browser.
package final class KeyRegistration: Sendable {
    /// How long a phone has to answer.
    package static let lifetime = Duration.seconds(300)

    private let linkedKeys: LinkedKeys
    private let configuration: SelfIssuedConfiguration
    private let approvers: PhoneApprovers
    private let seal: ShortLivedSeal
    private let time: TimeSource
    private let random: RandomSource

    package init(
        linkedKeys: LinkedKeys, configuration: SelfIssuedConfiguration, approvers: PhoneApprovers,
        ring: Reloadable<SecretKeyRing>, time: TimeSource, random: RandomSource = .system
    ) {
        self.linkedKeys = linkedKeys
        self.configuration = configuration
        self.approvers = approvers
        seal = ShortLivedSeal(keys: ring, purpose: .phoneKeyLinking, time: time)
        self.time = time
        self.random = random
    }

    /// What a phone needs to know to prove its key.
    package struct Invitation: Sendable {
        /// Good for the app's session alone.
        package let nonce: String
        /// Whom the proof is for.
        package let audience: String
        /// The website whose key it is to be.
        package let clientID: String
        package let expiresIn: Int64

        /// All of it in one line, for a program that stands in for the phone.
        package var code: String {
            "\(audience)?client_id=\(PercentEncoding.encode(clientID))&nonce=\(PercentEncoding.encode(nonce))"
        }
    }

    /// - Throws: `OAuthError`, ``SelfIssuedRefusal``, both written down; ``StorageError``.
    package func invite(_ bearer: BearerIdentity, origin: RequestOrigin) async throws -> Invitation {
        let now = time.now()
        let session = try await session(of: bearer, origin: origin, at: now)
        return Invitation(
            nonce: try seal.seal(
                Array(random.text(16).utf8), binding: session.id.rawValue, lifetime: Self.lifetime),
            audience: configuration.linksURI, clientID: configuration.clientID,
            expiresIn: Self.lifetime.components.seconds)
    }

    /// Links the key that the proof is of.
    /// - Throws: as ``invite(_:origin:)``.
    package func link(_ text: String, by bearer: BearerIdentity, origin: RequestOrigin) async throws -> LinkedKey {
        let now = time.now()
        let session = try await session(of: bearer, origin: origin, at: now)
        return try await linkedKeys.recording(origin: origin, at: now) {
            try await linkedKeys.naming(session.subject, of: session.clientID, in: session.id) {
                try await link(text, in: session, origin: origin, at: now)
            }
        }
    }

    private func link(
        _ text: String, in session: AppSession, origin: RequestOrigin, at now: Timestamp
    ) async throws -> LinkedKey {
        let proof: KeyProof
        do throws(SelfIssuedRefusal.Reason) {
            proof = try KeyProof(text, audience: configuration.linksURI, at: now)
        } catch {
            throw SelfIssuedRefusal(error)
        }
        guard seal.open(proof.nonce, binding: session.id.rawValue) != nil else {
            throw SelfIssuedRefusal(.nonceMismatch, thumbprint: proof.thumbprint)
        }
        let key = LinkedKey(
            thumbprint: proof.thumbprint, subject: session.subject, algorithm: proof.algorithm, origin: .linked,
            createdAt: now)
        try await linkedKeys.link(
            key, in: .app(session.id),
            event: AuditEvent(
                at: now, type: .selfIssuedLinked, outcome: .success, reason: "app", subject: session.subject,
                clientID: session.clientID, sessionID: session.id, origin: origin,
                detail: LinkedKeys.detail(proof.thumbprint)))
        return key
    }

    private func session(
        of bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> AppSession {
        let session = try await approvers.appSession(
            of: bearer, isFresh: true, for: .keyLinking, origin: origin, at: now)
        do throws(OAuthError) {
            guard configuration.linkingApps.contains(session.clientID) else {
                throw OAuthError(
                    .unauthorizedClient, "this client may not link phones' keys", detail: .clientWithoutRight)
            }
            // What was cut down on purpose must not make something that nothing bounds (contract §16).
            guard approvers.isWhole(bearer, of: session) else {
                throw OAuthError(
                    .unauthorizedClient, "linking a key takes everything that the app was granted",
                    detail: .narrowedScope)
            }
            guard session.authentication.isFresh(within: LinkedKeys.linkFreshness, at: now) else {
                throw OAuthError(
                    .insufficientUserAuthentication,
                    "linking a key takes a sign-in of the last \(LinkedKeys.linkFreshness.roundedUpMinutes) minutes",
                    detail: .authenticationTooOld,
                    challenge: AuthenticationChallenge.text(maximumAge: LinkedKeys.linkFreshness))
            }
        } catch {
            try await approvers.record(
                .selfIssuedRefused, error.detail ?? error.code.rawValue, bearer, origin: origin, at: now)
            throw error
        }
        guard try await linkedKeys.mayHaveKeys(session.subject) else {
            let refusal = SelfIssuedRefusal.Reason.upstreamUser
            try await approvers.record(.selfIssuedRefused, refusal.rawValue, bearer, origin: origin, at: now)
            throw OAuthError(.accessDenied, refusal.explanation)
        }
        guard try await linkedKeys.isStrongEnough(session.authentication, of: session.subject) else {
            try await approvers.record(
                .selfIssuedRefused, RefusalReason.authenticationTooWeak.rawValue, bearer, origin: origin, at: now)
            throw OAuthError(
                .insufficientUserAuthentication, "linking a key takes a sign-in with everything that the account has",
                detail: .authenticationTooWeak,
                challenge: AuthenticationChallenge.text(acrValues: [AuthenticationLevel.twoFactors.rawValue]))
        }
        return session
    }
}
