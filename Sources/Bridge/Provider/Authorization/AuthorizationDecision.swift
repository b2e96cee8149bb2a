package import OAuth2

/// What happens next to a good request: a pure function over facts, so that the whole table can be tested
/// (docs/rules/authorization-request.md A10).
package enum AuthorizationDecision: Hashable, Sendable {
    case signIn
    case askConsent
    case issueCode
    case refuse(ErrorCode, String)

    static let consentNeeded = "the user has to be asked"

    /// What is known when it is decided.
    package struct Facts: Sendable {
        /// The browser's session.
        package let session: Lineage?
        /// Whether that session may be answered for this client without its user (``WebSession/reaches(_:in:)``).
        package let reachesClient: Bool
        /// Whether that user has a second factor here.
        package let hasSecondFactor: Bool
        /// When this request first sent the browser to the sign-in page, if it did.
        package let demandedAt: Timestamp?
        /// The scopes that the user has allowed the client before.
        package let consented: Set<String>?
        /// Whether the user has just said yes on the consent page.
        package let agreed: Bool
        package let now: Timestamp

        package init(
            session: Lineage?, reachesClient: Bool, hasSecondFactor: Bool = false,
            demandedAt: Timestamp? = nil, consented: Set<String>? = nil, agreed: Bool = false, now: Timestamp
        ) {
            self.session = session
            self.reachesClient = reachesClient
            self.hasSecondFactor = hasSecondFactor
            self.demandedAt = demandedAt
            self.consented = consented
            self.agreed = agreed
            self.now = now
        }

        /// Whether the user signed in after this request asked for it.
        var hasJustSignedIn: Bool { session?.authentication.isNewer(than: demandedAt) ?? false }
    }

    package static func decide(_ request: AuthorizationRequest, _ facts: Facts) -> AuthorizationDecision {
        let isSilent = request.prompts.contains(.none)
        guard let session = facts.session else {
            return isSilent ? .refuse(.loginRequired, "the user is not signed in") : .signIn
        }
        guard isEnough(session, for: request, facts) else {
            return isSilent ? .refuse(.loginRequired, "the user has to sign in here") : .signIn
        }
        if let expected = request.expectedSubject, expected != session.subject {
            // A code for another user than the client meant would be the worst answer (OpenID Connect Core §3.1.2.2).
            return isSilent || facts.hasJustSignedIn
                ? .refuse(.loginRequired, "another user is signed in") : .signIn
        }
        if !request.acceptsStrength(of: session.authentication) {
            guard !facts.hasJustSignedIn || canShowMore(session, for: request, facts) else {
                return .refuse(
                    .accessDenied,
                    facts.hasSecondFactor
                        ? "the user cannot sign in as strongly as the client requires"
                        : "the client requires a second factor, which the user has not set up")
            }
            return isSilent ? .refuse(.loginRequired, "a stronger sign-in is required") : .signIn
        }
        if mustSignInAgain(request, facts) {
            return isSilent ? .refuse(.loginRequired, "the sign-in is too old") : .signIn
        }
        // A wish is honoured once, and never fails the request (OpenID Connect Core §5.5.1.1).
        if !isSilent, facts.demandedAt == nil, facts.hasSecondFactor,
            request.wishesForSecondFactor(beyond: session.authentication)
        {
            return .signIn
        }
        if facts.agreed { return .issueCode }
        if mustAsk(request, session, facts) {
            return isSilent ? .refuse(.consentRequired, consentNeeded) : .askConsent
        }
        return .issueCode
    }

    /// A session that came over an edge is worth no more than the website that it opened, and those that its app may open
    /// (contract §16.2, §16.3). One that can give nothing of what is asked for is not enough either.
    private static func isEnough(_ session: Lineage, for request: AuthorizationRequest, _ facts: Facts) -> Bool {
        if session.isOwnSignIn { return true }
        return request.client.kind == .web && facts.reachesClient
            && !WebSession.ownSignInsAlone.contains(where: request.scope.contains)
            && !session.limiting(request.scope).isEmpty
    }

    /// Whether a sign-in with a phone's key was too weak, and its user has a second factor that would do, which has not
    /// been asked for yet.
    private static func canShowMore(_ session: Lineage, for request: AuthorizationRequest, _ facts: Facts) -> Bool {
        facts.hasSecondFactor && session.isOwnSignIn
            && session.authentication.amr.contains(Authentication.selfIssued)
            && request.acceptsStrength(of: .ofTwoFactors)
    }

    private static func mustSignInAgain(_ request: AuthorizationRequest, _ facts: Facts) -> Bool {
        guard !facts.hasJustSignedIn else { return false }
        return request.wantsSignInNow || !request.acceptsAge(of: facts.session?.authentication, at: facts.now)
    }

    /// RFC 8252 §8.6: an app that only its redirect tells apart may be an impostor, so it is never answered without
    /// the user seeing for whom, whatever was allowed before. What the session cannot give is not asked about.
    private static func mustAsk(_ request: AuthorizationRequest, _ session: Lineage, _ facts: Facts) -> Bool {
        if request.prompts.contains(.consent) { return true }
        let canBeTrusted = request.redirectKind == .https
        if request.client.isFirstParty { return !canBeTrusted && !facts.hasJustSignedIn }
        guard canBeTrusted, let consented = facts.consented else { return true }
        return !session.limiting(request.consentScope).tokens.allSatisfy(consented.contains)
    }
}
