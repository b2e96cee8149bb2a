/// How and when the user authenticated (OpenID Connect Core §2): carried along the chain, never raised.
package struct Authentication: Hashable, Sendable {
    /// When the user last authenticated actively; `nil` when the issuer did not say.
    package let time: Timestamp?
    /// Authentication context class reference.
    package let acr: String?
    /// Authentication methods references (RFC 8176).
    package let amr: [String]

    package init(time: Timestamp? = nil, acr: String? = nil, amr: [String] = []) {
        self.time = time
        self.acr = acr
        self.amr = amr
    }

    /// By the level alone: a single method, such as a code by mail of an upstream provider, is one factor.
    package var hasTwoFactors: Bool {
        AuthenticationLevel.satisfies(acr, required: AuthenticationLevel.twoFactors.rawValue)
    }

    /// Whether the user is known to have authenticated no longer ago than this.
    package func isFresh(within span: Duration, at now: Timestamp) -> Bool { time.map { now - $0 <= span } ?? false }
}

extension Authentication {
    // Methods as `amr` names them (RFC 8176 §2).

    /// A password that we checked.
    package static let password = "pwd"
    /// A one-time or recovery code.
    package static let oneTimeCode = "otp"
    /// More than one factor.
    package static let multipleFactors = "mfa"
    /// Possession of a key, wherever it is kept.
    package static let proofOfPossession = "pop"
    /// The user's presence, verified by the authenticator.
    package static let userPresence = "user"
    /// The method of who signed in with a key of their own, which no provider vouches for (docs/self-issued.md).
    package static let selfIssued = "self_issued"
}

/// The `acr` values that our own sign-in gives, from weak to strong (OpenID Connect Core §2).
package enum AuthenticationLevel: String, Sendable, CaseIterable {
    /// A password.
    case oneFactor = "aal1"
    /// A password and a one-time or recovery code.
    case twoFactors = "aal2"

    /// Whether an authentication is as strong as one of these; any is where there are none.
    package static func satisfies(_ acr: String?, anyOf acrValues: [String]) -> Bool {
        acrValues.isEmpty || acrValues.contains { satisfies(acr, required: $0) }
    }

    /// Whether an authentication is at least as strong as `required`; an `acr` that is not ours only equals itself.
    package static func satisfies(_ acr: String?, required: String) -> Bool {
        guard let acr else { return false }
        if acr.hasSameBytes(as: required) { return true }
        guard let have = Self(rawValue: acr), let want = Self(rawValue: required),
            let haveRank = allCases.firstIndex(of: have),
            let wantRank = allCases.firstIndex(of: want)
        else { return false }
        return haveRank >= wantRank
    }
}
