import OAuth2

/// What a request demands of the sign-in that it is answered with.
extension AuthorizationRequest {
    /// Whether a sign-in is as strong as the client's `min_acr` and an essential `acr` want it.
    func acceptsStrength(of authentication: Authentication) -> Bool {
        if let minimum = client.minimumACR,
            !AuthenticationLevel.satisfies(authentication.acr, required: minimum)
        {
            return false
        }
        return essentialACRs.isEmpty
            || essentialACRs.contains { AuthenticationLevel.satisfies(authentication.acr, required: $0) }
    }

    /// Whether a sign-in is as strong as the client would like it.
    func fulfilsWish(_ authentication: Authentication) -> Bool {
        wantedACRs.isEmpty
            || wantedACRs.contains { AuthenticationLevel.satisfies(authentication.acr, required: $0) }
    }

    /// Whether a second factor would fulfil a wish that a sign-in does not.
    func wishesForSecondFactor(beyond authentication: Authentication) -> Bool {
        !fulfilsWish(authentication) && fulfilsWish(.ofTwoFactors)
    }

    /// Whether a sign-in is as fresh as `max_age` and the client's `max_auth_age` want it.
    func acceptsAge(of authentication: Authentication?, at now: Timestamp) -> Bool {
        let limits = [maximumAge.map { Duration.seconds($0) }, client.maximumAuthenticationAge]
        guard let limit = limits.compactMap(\.self).min() else { return true }
        // `max_age=0` means the same as `prompt=login`.
        guard limit > .zero, let time = authentication?.time else { return false }
        return now - time <= limit
    }

    /// Whether no sign-in of before will do.
    var wantsSignInNow: Bool { prompts.contains(.login) || prompts.contains(.selectAccount) }

    /// Whether it matters when the user signed in.
    package var limitsAge: Bool {
        wantsSignInNow || maximumAge != nil || client.maximumAuthenticationAge != nil
    }

    /// Whether the client may mean this account: its `login_hint` names nobody else.
    func mayMean(_ account: Account) -> Bool {
        guard let loginHint else { return true }
        if let name = account.username, Username(loginHint) == name { return true }
        return account.email.map { $0.lowercased().utf8.elementsEqual(loginHint.lowercased().utf8) } ?? false
    }
}

extension Authentication {
    /// As strong as an account with a second factor can sign in here.
    static let ofTwoFactors = Authentication(acr: AuthenticationLevel.twoFactors.rawValue)

    /// Whether the user signed in after that was demanded.
    func isNewer(than demandedAt: Timestamp?) -> Bool {
        guard let demandedAt, let time else { return false }
        return time >= demandedAt
    }
}
