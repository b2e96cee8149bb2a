package import OAuth2

/// Writes and reads ID tokens and logout tokens.
package struct IDTokenCodec: Sendable {
    /// Core §2: long enough for a clock that is off, short enough to be of no use later.
    package static let lifetime = Duration.seconds(300)
    /// OpenID Connect Back-Channel Logout §2.4.
    package static let logoutTokenLifetime = Duration.seconds(120)
    /// The member of `events` that makes a token a logout token (Back-Channel Logout §2.4).
    package static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

    package let issuer: String
    private let keys: Reloadable<SigningKeyRing>
    private let inquiry: (any KeyInquiry)?

    /// - Parameter inquiry: is asked about keys that `keys` does not have; `nil` where none are added.
    package init(issuer: String, keys: Reloadable<SigningKeyRing>, inquiry: (any KeyInquiry)? = nil) {
        self.issuer = issuer
        self.keys = keys
        self.inquiry = inquiry
    }

    /// Sees to it that ``readKnown(_:)`` knows the key that a token names, when there is one.
    /// - Throws: ``StorageError`` when the database cannot say.
    package func learnKey(of token: Secret<String>) async throws {
        if let inquiry, let keyID = keys.current.unknownKey(of: token) { try await inquiry.learn(keyID) }
    }

    /// - Parameter accessToken: the one that comes along, for `at_hash`.
    package func sign(
        _ claims: IDTokenClaims, accessToken: Secret<String>?, algorithm: SigningAlgorithm, at now: Timestamp
    ) throws -> Secret<String> {
        let key = try signingKey(algorithm, at: now)
        var json = JSONObjectWriter()
        json.add("iss", issuer)
        json.add("sub", claims.subject.rawValue)
        json.add("aud", claims.audience.rawValue)
        json.add("iat", claims.issuedAt.seconds)
        json.add("exp", claims.expiresAt.seconds)
        json.add(claims.authentication)
        json.add("sid", claims.sessionID.rawValue)
        json.add("nonce", claims.nonce)
        json.add("at_hash", accessToken.map { key.halfHash(of: $0.expose()) })
        json.add("ds_hash", claims.deviceSecretHash)
        for (name, value) in claims.userClaims.sorted(by: { $0.key < $1.key }) where !Self.ownNames.contains(name) {
            json.add(name, json: value.text)
        }
        return Secret(try CompactJWS.sign(json.finish(), type: "JWT", with: key))
    }

    /// A logout token: both `sub` and `sid`, never a nonce (Back-Channel Logout §2.4).
    package func signLogoutToken(
        _ notice: LogoutNotice, algorithm: SigningAlgorithm, id: String, at now: Timestamp
    ) throws -> Secret<String> {
        var json = JSONObjectWriter()
        json.add("iss", issuer)
        json.add("aud", notice.clientID.rawValue)
        json.add("iat", now.seconds)
        json.add("exp", (now + Self.logoutTokenLifetime).seconds)
        json.add("jti", id)
        json.add("sub", notice.subject.rawValue)
        json.add("sid", notice.sessionID.rawValue)
        json.add("events", json: "{\"\(Self.logoutEvent)\":{}}")
        return Secret(
            try CompactJWS.sign(json.finish(), type: "logout+jwt", with: try signingKey(algorithm, at: now)))
    }

    /// A userinfo answer (OpenID Connect Core §5.3.2). It has no `exp`, so nothing takes it for an ID token.
    package func signUserInfo(
        _ claims: [String: JSONValue], audience: ClientID, algorithm: SigningAlgorithm, at now: Timestamp
    ) throws -> Secret<String> {
        var members = claims.filter { !Self.registeredNames.contains($0.key) }
        members["iss"] = .string(issuer)
        members["aud"] = .string(audience.rawValue)
        members["iat"] = .number(String(now.seconds))
        let key = try signingKey(algorithm, at: now)
        return Secret(try CompactJWS.sign(Array(JSONValue.object(members).text.utf8), type: "JWT", with: key))
    }

    /// Reads an ID token that comes back, as a hint or as a subject token. That it has expired does not matter, nor
    /// that its key's time has run out since: it says who the user was, and gives nothing by itself.
    /// - Returns: `nil` unless one of our keys signed it that this node knows (``learnKey(of:)``), and it is an ID token.
    package func readKnown(_ token: Secret<String>) -> PresentedIDToken? {
        guard let jws = CompactJWS(token.expose()), jws.type == "jwt" || jws.type == nil, let keyID = jws.keyID,
            let key = keys.current.known(keyID), key.verifies(jws), let members = jws.claims,
            members["iss"]?.string == issuer, let subject = members["sub"]?.string,
            let audience = members["aud"]?.oneOrMore?.first, let expiry = members["exp"]?.integer
        else { return nil }
        return PresentedIDToken(
            subject: Subject(rawValue: subject), audience: ClientID(rawValue: audience),
            sessionID: members["sid"]?.string.map(SessionID.init(rawValue:)),
            deviceSecretHash: members["ds_hash"]?.string,
            authentication: Authentication(claims: members),
            expiresAt: Timestamp(seconds: expiry))
    }

    private func signingKey(_ algorithm: SigningAlgorithm, at now: Timestamp) throws -> SigningKey {
        guard let key = keys.current.signing(algorithm, at: now) else {
            throw StorageError.unavailable("no \(algorithm.rawValue) key may sign now")
        }
        return key
    }

    /// What RFC 7519 §4.1 gives a meaning of its own, but for the subject.
    private static let registeredNames: Set<String> = ["iss", "aud", "iat", "exp", "nbf", "jti"]

    /// What the provider says of itself; a user's claim never takes its place.
    private static let ownNames: Set<String> = [
        "iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "amr", "sid", "nonce", "at_hash", "ds_hash", "azp",
    ]
}

/// An ID token of ours that was sent back.
package struct PresentedIDToken: Hashable, Sendable {
    package let subject: Subject
    package let audience: ClientID
    package let sessionID: SessionID?
    package let deviceSecretHash: String?
    package let authentication: Authentication
    package let expiresAt: Timestamp
}

/// What an ID token says (OpenID Connect Core §2).
package struct IDTokenClaims: Hashable, Sendable {
    package let subject: Subject
    package let audience: ClientID
    package let sessionID: SessionID
    package let authentication: Authentication
    package var nonce: String?
    /// `ds_hash` (Native SSO): ties the ID token to a device secret.
    package var deviceSecretHash: String?
    /// Claims of the user that the `claims` parameter asked for here.
    package var userClaims: [String: JSONValue] = [:]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    /// - Parameter end: the session's, which the token does not outlive.
    package init(
        subject: Subject, audience: ClientID, sessionID: SessionID, authentication: Authentication,
        nonce: String? = nil, issuedAt: Timestamp, notAfter end: Timestamp
    ) {
        self.subject = subject
        self.audience = audience
        self.sessionID = sessionID
        self.authentication = authentication
        self.nonce = nonce
        self.issuedAt = issuedAt
        expiresAt = min(issuedAt + IDTokenCodec.lifetime, end)
    }
}
