package import OAuth2

/// Writes and reads access tokens: JWTs with `typ` `at+jwt` (RFC 9068).
package struct AccessTokenCodec: Sendable {
    /// `typ`
    private static let tokenType = "at+jwt"
    /// A claim of our own; no resource server needs it.
    fileprivate static let adminEpochName = "admin_epoch"

    package let issuer: String
    private let keys: Reloadable<SigningKeyRing>

    /// - Parameter issuer: `iss`; also the `aud` of tokens for our own API.
    package init(issuer: String, keys: Reloadable<SigningKeyRing>) {
        self.issuer = issuer
        self.keys = keys
    }

    /// - Parameter algorithm: the client's, ``Client/accessTokenAlgorithm``.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may sign.
    package func sign(
        _ claims: AccessTokenClaims, algorithm: SigningAlgorithm, at now: Timestamp
    ) throws -> Secret<String> {
        guard let key = keys.current.signing(algorithm, at: now) else {
            throw StorageError.unavailable("no \(algorithm.rawValue) key may sign access tokens now")
        }
        var json = JSONObjectWriter()
        json.add("iss", issuer)
        json.add("sub", claims.subject.rawValue)
        json.add("aud", oneOrMore: claims.audience)
        json.add("client_id", claims.clientID.rawValue)
        json.add("iat", claims.issuedAt.seconds)
        json.add("exp", claims.expiresAt.seconds)
        json.add("jti", claims.id.rawValue)
        if !claims.scope.isEmpty { json.add("scope", claims.scope.description) }
        if let sid = claims.sessionID { json.add("sid", sid.rawValue) }
        json.add(claims.authentication)
        if let thumbprint = claims.proofKeyThumbprint {
            json.add("cnf", json: JSONValue.object(["jkt": .string(thumbprint)]).text)
        }
        if let epoch = claims.adminEpoch { json.add(Self.adminEpochName, epoch.milliseconds) }
        return Secret(try CompactJWS.sign(json.finish(), type: Self.tokenType, with: key))
    }

    /// Verifies form, signature, issuer, audience and life. Touches no state.
    /// - Throws: ``BearerRefusal``.
    package func verify(_ token: Secret<String>, at now: Timestamp) throws(BearerRefusal) -> AccessTokenClaims {
        try verify(CompactJWS(token.expose()), at: now)
    }

    /// As ``verify(_:at:)``, for a token that was taken apart; `nil` is no JWS.
    func verify(_ jws: CompactJWS?, at now: Timestamp) throws(BearerRefusal) -> AccessTokenClaims {
        let claims = try read(jws) { keys.current.verifying($0, at: now) }
        guard now < claims.expiresAt else { throw .expired }
        return claims
    }

    /// As ``verify(_:at:)``, for a token that may have run out, and its key's time with it, as browsers keep cookies for
    /// longer: it proves nothing but whose it was. One by a key that was retired at once proves nothing.
    func verifyWhateverItsAge(_ token: Secret<String>) throws(BearerRefusal) -> AccessTokenClaims {
        try read(CompactJWS(token.expose())) { keys.current.known($0) }
    }

    private func read(
        _ jws: CompactJWS?, by find: (_ keyID: String) -> VerificationKey?
    ) throws(BearerRefusal) -> AccessTokenClaims {
        guard let jws else { throw .malformed }
        // An ID token or login token is never an access token (RFC 9068 §4, RFC 8725 §3.11).
        guard jws.type == Self.tokenType else { throw .wrongType }
        guard let keyID = jws.keyID, let key = find(keyID) else { throw .unknownKey }
        // By the key's own algorithm, not the client's: that may have changed since, and what it had goes on.
        guard key.verifies(jws) else { throw .badSignature }
        guard let members = jws.claims else { throw .malformed }
        guard members["iss"]?.string == issuer else { throw .unknownIssuer }
        guard let claims = AccessTokenClaims(members) else { throw .missingClaim }
        guard claims.audience.contains(issuer) else { throw .wrongAudience }
        return claims
    }

    /// Tells rings of keys apart: what was verified in one may be worth nothing in the next.
    var ringNumber: Int64 { keys.current.number }

    /// The key that a token names, if this node does not have it.
    func unknownKey(of token: Secret<String>) -> String? {
        keys.current.unknownKey(of: token)
    }

    /// Whether a text says in its header that it is an access token, of whichever issuer (RFC 9068 §2.1).
    func saysItIsAnAccessToken(_ token: Secret<String>) -> Bool {
        CompactJWS.statedType(in: token.expose()) == Self.tokenType
    }

    /// Takes a text apart that says of itself that it is an access token of this issuer; it may still be forged.
    func takeApartOurs(_ token: Secret<String>) -> CompactJWS? {
        guard let jws = CompactJWS(token.expose(), onlyType: Self.tokenType),
            jws.claims?["iss"]?.string == issuer
        else { return nil }
        return jws
    }
}

extension AccessTokenClaims {
    fileprivate init?(_ members: [String: JSONValue]) {
        guard let subject = members["sub"]?.string, let clientID = members["client_id"]?.string,
            let id = members["jti"]?.string, let issuedAt = members["iat"]?.integer,
            let expiresAt = members["exp"]?.integer, let audience = members["aud"]?.oneOrMore
        else { return nil }
        guard let scope = members["scope"].map({ $0.string.flatMap { Scope($0) } }) ?? Scope.empty else { return nil }
        self.init(
            subject: Subject(rawValue: subject), audience: audience, clientID: ClientID(rawValue: clientID),
            scope: scope, id: TokenID(rawValue: id),
            sessionID: members["sid"]?.string.map(SessionID.init(rawValue:)),
            authentication: Authentication(claims: members),
            proofKeyThumbprint: members["cnf"]?.object?["jkt"]?.string,
            adminEpoch: members[AccessTokenCodec.adminEpochName]?.integer.map(Timestamp.init(milliseconds:)),
            issuedAt: Timestamp(seconds: issuedAt), expiresAt: Timestamp(seconds: expiresAt))
    }
}

extension Authentication {
    /// `auth_time`, `acr` and `amr` of a token of ours, whose signature was verified.
    init(claims: [String: JSONValue]) {
        self.init(
            time: claims["auth_time"]?.integer.map(Timestamp.init(seconds:)), acr: claims["acr"]?.string,
            amr: claims["amr"]?.strings ?? [])
    }
}

extension JSONObjectWriter {
    /// `auth_time`, `acr` and `amr`, as far as they are known.
    mutating func add(_ authentication: Authentication) {
        if let time = authentication.time { add("auth_time", time.seconds) }
        add("acr", authentication.acr)
        if !authentication.amr.isEmpty { add("amr", authentication.amr) }
    }
}

/// What an access token of ours says (RFC 9068 §2.2).
package struct AccessTokenClaims: Hashable, Sendable {
    package let subject: Subject
    package let audience: [String]
    package let clientID: ClientID
    package let scope: Scope
    package let id: TokenID
    /// The app session; `nil` for a client that acts for itself.
    package let sessionID: SessionID?
    package let authentication: Authentication
    /// `cnf.jkt`: the key that must be shown with it (RFC 9449 §6).
    package let proofKeyThumbprint: String?
    /// `admin_epoch`: its client's ``Client/adminEpoch`` as whoever gave it out knew it; `nil` without the scope
    /// `admin`, and from a node of an earlier version.
    package let adminEpoch: Timestamp?
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    /// The epoch that it counts as of. One that names none was given out at some instant of this second or later.
    var countedEpoch: Timestamp { adminEpoch ?? issuedAt }

    /// How the token is to be presented (RFC 9449 §5).
    var tokenType: String { proofKeyThumbprint == nil ? "Bearer" : "DPoP" }

    package init(
        subject: Subject, audience: [String], clientID: ClientID, scope: Scope, id: TokenID, sessionID: SessionID?,
        authentication: Authentication, proofKeyThumbprint: String? = nil, adminEpoch: Timestamp? = nil,
        issuedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.subject = subject
        self.audience = audience
        self.clientID = clientID
        self.scope = scope
        self.id = id
        self.sessionID = sessionID
        self.authentication = authentication
        self.proofKeyThumbprint = proofKeyThumbprint
        self.adminEpoch = adminEpoch
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
