package import OAuth2

/// What a key signs with, and so what it is for. Each has keys of its own, of which one signs.
package enum KeyAlgorithm: String, Sendable, CaseIterable {
    /// Signs login tokens; what seals, form tokens and DPoP nonces are made with is derived from it. A shared secret, so
    /// it is never published.
    case hs256 = "HS256"
    /// These three sign access tokens, ID tokens and logout tokens.
    case es256 = "ES256"
    case rs256 = "RS256"
    case edDSA = "EdDSA"

    /// What a key signs.
    package enum Use: String, Sendable {
        case loginToken = "login_token"
        /// Access tokens, ID tokens, logout tokens.
        case tokens
    }

    /// What its keys sign.
    package var use: Use { self == .hs256 ? .loginToken : .tokens }

    /// `nil` for the one whose keys have no public half.
    package var published: SigningAlgorithm? { SigningAlgorithm(rawValue: rawValue) }

    /// How long a key is known to verifiers before it signs.
    ///
    /// A login token key is verified by nodes only, and they say when they have it (``SigningKeys``); where one does not,
    /// ten seconds are enough. Others keep the JWK set for up to an hour (Core §10.1.1).
    package var publication: Duration {
        use == .loginToken ? .seconds(10) + TimeSource.nodeTolerance : .seconds(3600)
    }

    /// A key may begin to sign earlier by as much as clocks are apart, or a node that is behind had none for that long
    /// after the one before was retired.
    static func hasBegun(_ signsFrom: Timestamp, at now: Timestamp) -> Bool {
        signsFrom <= now + TimeSource.nodeTolerance
    }

    /// Nothing that a key made is alive for longer: with a login token key, pages that wait half an hour for a sign-in
    /// elsewhere (``ShortLivedSeal``); with the others, access tokens of the longest life that a client may have.
    package var longestUse: Duration { use == .loginToken ? .seconds(3600) : .seconds(86_400) }
}
