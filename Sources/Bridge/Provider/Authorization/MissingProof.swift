import OAuth2

/// What a browser's session lacks for a request, so that the sign-in page asks for nothing else: a pure function over
/// facts, as ``AuthorizationDecision`` is.
package enum MissingProof: Hashable, Sendable {
    /// Who the user is, and all proof of it.
    case everything
    /// It is known who the user is; the sign-in is too old, or the client wants to see one now.
    case password(Account)
    /// The password was given to us in this session, recently enough; only the second factor was not.
    case code(Account)

    /// What is known when it is decided.
    package struct Facts: Sendable {
        /// The browser's session, if it has one.
        package let session: WebSession?
        /// The account of the session's user.
        package let account: Account?
        /// When this request first sent this browser to the sign-in page, if it did.
        package let demandedAt: Timestamp?
        package let now: Timestamp

        package init(session: WebSession?, account: Account?, demandedAt: Timestamp? = nil, now: Timestamp) {
            self.session = session
            self.account = account
            self.demandedAt = demandedAt
            self.now = now
        }
    }

    package static func find(_ request: AuthorizationRequest, _ facts: Facts) -> MissingProof {
        // A session that came over an edge says who is known here, not who sits here: it is not told a user's name.
        guard let session = facts.session, session.isOwnSignIn, let account = facts.account,
            account.subject == session.subject, account.disabledAt == nil,
            // Who signs in elsewhere has nothing that we could ask for.
            account.passwordHash != nil, account.username != nil,
            request.expectedSubject.map({ $0 == account.subject }) ?? true, request.mayMean(account)
        else { return .everything }
        let hasJustSignedIn = session.authentication.isNewer(than: facts.demandedAt)
        // To choose an account one must be able to name another.
        if request.prompts.contains(.selectAccount), !hasJustSignedIn { return .everything }
        let isTooWeak = !request.acceptsStrength(of: session.authentication)
        let hasFactor = account.secondFactor != nil
        if isTooWeak, !hasFactor || !request.acceptsStrength(of: .ofTwoFactors) { return .everything }
        let isOld = request.wantsSignInNow || !request.acceptsAge(of: session.authentication, at: facts.now)
        // The code follows by itself where the account has a second factor.
        if isOld, !hasJustSignedIn { return .password(account) }
        let wantsCode = isTooWeak || hasFactor && request.wishesForSecondFactor(beyond: session.authentication)
        return wantsCode ? secondFactor(session, of: account, isOld: false) : .everything
    }

    /// What a user's own sign-in lacks where two factors are wanted, and would do.
    /// - Parameters:
    ///   - account: that of the session's user, who can sign in here with a password.
    ///   - isOld: whether the sign-in is too old as well.
    package static func secondFactor(_ session: WebSession, of account: Account, isOld: Bool) -> MissingProof {
        guard account.secondFactor != nil else { return .everything }
        if session.canBeRaised, !isOld { return .code(account) }
        // After a phone's key the password is still to be shown, and the code follows by itself (docs/self-issued.md).
        let showsPasswordNext = session.canBeRaised || session.authentication.amr.contains(Authentication.selfIssued)
        return session.isOwnSignIn && showsPasswordNext ? .password(account) : .everything
    }
}

extension WebSession {
    /// Whether a code alone makes two factors of the sign-in that opened this session: one with a password, in this
    /// browser.
    var canBeRaised: Bool {
        isOwnSignIn && authentication.amr.contains(Authentication.password)
            && authentication.acr == AuthenticationLevel.oneFactor.rawValue
    }
}
