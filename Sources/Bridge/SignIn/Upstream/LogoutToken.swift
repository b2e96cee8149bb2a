import OAuth2

/// An upstream provider's word, verified, that a user has signed out there (OpenID Connect Back-Channel Logout 1.0
/// §2.4).
package struct LogoutToken: Hashable, Sendable {
    /// What the user has signed out of.
    package enum Reach: Hashable, Sendable {
        /// Every session of the user with this `sub`.
        case user(String)
        /// The one with this `sid`, at however many browsers.
        /// - Parameter user: the `sub`, where the token has it too.
        case session(String, of: String?)
    }

    /// For how long after it was made a token counts (§2.4 recommends no more).
    package static let longestUse = Duration.seconds(120)

    package let issuer: String
    package let reach: Reach
    /// The `jti`.
    package let id: String
    /// When it was made at the earliest.
    package let madeAfter: Timestamp
    /// When it counts no more, whatever its `exp`.
    package let usableUntil: Timestamp

    package init(issuer: String, reach: Reach, id: String, madeAfter: Timestamp, usableUntil: Timestamp) {
        self.issuer = issuer
        self.reach = reach
        self.id = id
        self.madeAfter = madeAfter
        self.usableUntil = usableUntil
    }

    /// The digest of provider and id together, so that no provider can use up another's token.
    package var digest: String {
        let text = "logout-token \(issuer.utf8.count) \(issuer) \(id)"
        return SHA256Hash(of: text).base64URL
    }
}

/// Why a logout token was not taken: the reason in the audit log.
package enum LogoutTokenRefusal: String, Error, Sendable, CaseIterable {
    /// There is none, or more than one.
    case missing
    /// Not a signed token, or a `sub` or `sid` that is not a name.
    case malformed
    /// `typ` says that it is something else, or `crit` asks for what is not known here.
    case wrongType = "wrong_type"
    /// Not signed, or not in a way that this provider signs.
    case wrongAlgorithm = "wrong_algorithm"
    case wrongIssuer = "wrong_issuer"
    /// Made for another client of the provider.
    case wrongAudience = "wrong_audience"
    /// `exp` is missing or over.
    case expired
    /// `iat` is missing or in the future.
    case notYetValid = "not_yet_valid"
    /// Made too long ago, whatever its `exp`.
    case tooOld = "too_old"
    case badSignature = "bad_signature"
    /// Signed with a key that the provider did not have when it was last asked: it may have one by now.
    case unknownKey = "unknown_key"
    /// `events` says nothing of a sign-out.
    case noEvent = "no_logout_event"
    /// An ID token in a logout token's place.
    case hasNonce = "has_nonce"
    /// Neither `sub` nor `sid`.
    case nobodyNamed = "nobody_named"
    /// `jti` is missing or is not a name.
    case withoutID = "without_id"
    /// It came before.
    case replayed
}

/// Browsers' sessions by the sign-in at an upstream provider that they resulted from.
package protocol UpstreamSessionStore: Sendable {
    /// Ends the live sessions that a logout token names, each with everything that descends from it, and uses the token
    /// up.
    ///
    /// One whose ID token had no `sid` is ended by its user's `sub`, also where the logout token has a `sid` besides:
    /// which of the provider's sessions it resulted from is not known.
    /// - Returns: what ended; `nil` when the token was used before, or was made before a restore: then nothing was
    ///   written.
    func end(namedBy token: LogoutToken, _ ending: Ending) async throws -> Ended?
}
