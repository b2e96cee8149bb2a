import Bridge
import OAuth2

/// How strong a sign-in has to be that no app's request is behind: as the website wants it (`min_acr`) whose page it
/// leads to, and as that website's proxy asks.
extension SignInFlow {
    /// Whether such a sign-in is too weak for what the page was opened for.
    func isTooWeak(_ authentication: Authentication, for errand: SignInErrand) -> Bool {
        guard errand.destination == .website else { return false }
        guard AuthenticationLevel.satisfies(authentication.acr, anyOf: errand.acrValues) else { return true }
        return services.landing.website(for: errand.redirect)?.acceptsStrength(of: authentication) == false
    }

    /// How old a sign-in may be for the website that it leads to; `nil` for any age.
    func maximumAge(for errand: SignInErrand) -> Duration? {
        services.landing.website(for: errand.redirect)?.maximumAuthenticationAge
    }

    /// What the user's own sign-in lacks for a website that it is too weak for.
    func missing(_ errand: SignInErrand, _ session: WebSession, of account: Account) -> MissingProof {
        // A website that says nothing of the strength wants another sign-in altogether.
        guard !errand.isStepUp || !errand.acrValues.isEmpty, !isTooWeak(.ofTwoFactors, for: errand) else {
            return .everything
        }
        let isOld = maximumAge(for: errand).map { !session.authentication.isFresh(within: $0, at: time.now()) } ?? false
        return .secondFactor(session, of: account, isOld: isOld)
    }

    /// Whether a second factor would do, and the user has none and may set one up.
    func mayAddSecondFactor(_ session: WebSession, for errand: SignInErrand) async throws -> Bool {
        guard session.isOwnSignIn, !isTooWeak(.ofTwoFactors, for: errand),
            let account = try await services.accounts.account(of: session.subject)
        else { return false }
        return account.passwordHash != nil && account.secondFactor == nil
    }
}
