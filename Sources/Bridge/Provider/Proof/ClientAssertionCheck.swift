package import OAuth2

/// Checks a client's signed assertion (`private_key_jwt`, RFC 7523 §3, OpenID Connect Core §9).
struct ClientAssertionCheck: Sendable {
    /// For how long an assertion may be used: what could be used longer could be kept in stock, and would have to be
    /// remembered longer.
    static let longestUse = Duration.seconds(600)
    /// What `exp` may say beyond that where `iat` bounds the use: an hour is the default of common libraries.
    static let longestLife = Duration.seconds(3600)
    /// How far two clocks may be apart.
    static let leeway = Duration.seconds(30)

    /// What `aud` must be, as the sole string. An assertion that names an endpoint, or several audiences, may have been
    /// made for another server that told the client to use our address (draft-ietf-oauth-rfc7523bis, "audience injection").
    let issuer: String
    /// What else `aud` may be, for clients that are registered so.
    let endpoints: Set<String>
    let keys: any ClientKeySource
    let store: any RequestStore

    /// What an assertion comes to.
    enum Verdict: Hashable, Sendable {
        /// - Parameter usesEndpointAudience: whether `aud` is taken of this client alone.
        case good(usesEndpointAudience: Bool)
        case flawed(ClientAssertionRefusal)
    }

    /// - Throws: ``ClientKeysUnreachable``; ``StorageError`` when a store cannot decide.
    func verdict(on assertion: Secret<String>, by client: Client, at now: Timestamp) async throws -> Verdict {
        guard let jws = CompactJWS(assertion.expose()), let claims = jws.claims else { return .flawed(.malformed) }
        let names = [claims["iss"], claims["sub"]].map { $0?.string }
        guard names.allSatisfy({ $0?.hasSameBytes(as: client.id.rawValue) == true }) else {
            return .flawed(.issuer)
        }
        let isForIssuer = claims["aud"]?.string.map { $0.hasSameBytes(as: issuer) } ?? false
        guard isForIssuer || client.acceptsEndpointAudience && namesUs(claims["aud"]) else {
            return .flawed(namesUs(claims["aud"]) ? .endpointAudience : .audience)
        }
        guard let expiry = claims["exp"]?.decimal else { return .flawed(.withoutExpiry) }
        // A number that is no instant lies before all of them or after.
        guard let expiresAt = Timestamp(numericDate: expiry) else {
            return .flawed(expiry < 0 ? .expired : .tooLasting)
        }
        guard now < expiresAt + Self.leeway else { return .flawed(.expired) }
        let (madeAt, start) = (Self.instant("iat", in: claims), Self.instant("nbf", in: claims))
        guard claims["iat"] == nil || madeAt != nil, claims["nbf"] == nil || start != nil else {
            return .flawed(.malformed)
        }
        let usableUntil = Self.end(expiresAt, madeAt: madeAt)
        // A clock that is ahead of ours may have written `iat`.
        let ahead = usableUntil < expiresAt ? Self.leeway : .zero
        guard usableUntil <= now + Self.longestUse + ahead else { return .flawed(.tooLasting) }
        guard now < usableUntil + Self.leeway else { return .flawed(.tooOld) }
        if let start, start > now + Self.leeway { return .flawed(.notYetValid) }
        // If it claims to be made after a restore, it would count again there although it was used up before.
        if let madeAt, madeAt > now + Self.leeway { return .flawed(.notYetValid) }
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count) else { return .flawed(.withoutID) }
        let candidates = try await keysNow(of: client, keyID: jws.keyID).filter { key in
            jws.keyID == nil || key.id == nil || key.id == jws.keyID
        }
        guard candidates.contains(where: { $0.verifies(jws) }) else { return .flawed(.signature) }
        // Last, so that only its client can use an assertion up, or have anything written.
        let isFirst = try await store.claimUse(
            digest: Self.digest(id, client: client.id),
            // One that does not say when it was made could have been used for as long as any.
            madeAfter: (madeAt ?? usableUntil - Self.longestUse) - Self.leeway, until: usableUntil + Self.leeway)
        return isFirst ? .good(usesEndpointAudience: !isForIssuer) : .flawed(.replayed)
    }

    /// Whether another server has to be asked for the key of an assertion first.
    func mustFetchKeys(for assertion: Secret<String>, by client: Client) -> Bool {
        keys.mustFetchKeys(of: client, keyID: CompactJWS(assertion.expose())?.keyID)
    }

    private func keysNow(of client: Client, keyID: String?) async throws -> [VerificationKey] {
        do {
            return try await keys.keys(of: client, keyID: keyID)
        } catch let error as StorageError {
            throw ClientKeysUnreachable(cause: error)
        }
    }

    /// Until when an assertion may be used: `exp`, or ten minutes after it was made when it says when that was.
    private static func end(_ expiresAt: Timestamp, madeAt: Timestamp?) -> Timestamp {
        guard let madeAt, expiresAt <= madeAt + longestLife else { return expiresAt }
        return min(expiresAt, madeAt + longestUse)
    }

    private static func instant(_ name: String, in claims: [String: JSONValue]) -> Timestamp? {
        claims[name].flatMap(Timestamp.init(numericDate:))
    }

    /// Whether our issuer or an endpoint of ours is among the audiences.
    private func namesUs(_ audience: JSONValue?) -> Bool {
        guard let audience = audience?.oneOrMore else { return false }
        return audience.contains { name in
            name.hasSameBytes(as: issuer) || endpoints.contains(where: name.hasSameBytes(as:))
        }
    }

    /// The digest of client and id together, so that no client can use up another's assertion.
    private static func digest(_ id: String, client: ClientID) -> String {
        let text = "client-assertion \(client.rawValue.utf8.count) \(client.rawValue) \(id)"
        return SHA256Hash(of: text).base64URL
    }
}

/// Why a client's assertion proves nothing: the reason in the audit log.
enum ClientAssertionRefusal: String, Sendable, CaseIterable {
    /// It is no JWS, or `iat` or `nbf` is there and no instant.
    case malformed = "malformed_assertion"
    /// `iss` or `sub` is not the client.
    case issuer = "assertion_issuer"
    /// `aud` names another server.
    case audience = "assertion_audience"
    /// `aud` is an endpoint of ours or a list: taken of clients with `accepts_endpoint_audience` only.
    case endpointAudience = "assertion_endpoint_audience"
    case withoutExpiry = "assertion_without_expiry"
    case expired = "assertion_expired"
    /// It could be used for more than ten minutes: `exp` is further ahead, and `iat` is missing or an hour before it.
    case tooLasting = "assertion_too_lasting"
    /// It was made more than ten minutes ago, whatever its `exp`.
    case tooOld = "assertion_too_old"
    case notYetValid = "assertion_not_yet_valid"
    /// `jti` is missing, empty or longer than 256 bytes.
    case withoutID = "assertion_without_id"
    case signature = "assertion_signature"
    case replayed = "assertion_replayed"

    /// What the maker of the client is told.
    var advice: String? {
        switch self {
        case .tooLasting: "the assertion lives too long: send iat, and an exp within an hour of it"
        case .tooOld: "the assertion was made more than 10 minutes ago; make one for each request"
        case .endpointAudience: "aud of the assertion must be the issuer alone"
        default: nil
        }
    }
}

/// A client's keys cannot be fetched, or not again so soon: whether an assertion is good cannot be found out now.
struct ClientKeysUnreachable: Error {
    let cause: StorageError
}

/// The public keys of clients that sign their assertions.
package protocol ClientKeySource: Sendable {
    /// - Parameter keyID: the one that is wanted; `nil` where an assertion does not say.
    /// - Returns: all of them, which may lack the one that is wanted.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when they cannot be fetched now.
    func keys(of client: Client, keyID: String?) async throws -> [VerificationKey]

    /// Whether another server has to be asked first.
    func mustFetchKeys(of client: Client, keyID: String?) -> Bool
}

/// Keys that are in the client's document.
package struct RegisteredClientKeys: ClientKeySource {
    package init() {}

    package func keys(of client: Client, keyID: String?) -> [VerificationKey] {
        client.keys.map(VerificationKey.all(inSet:)) ?? []
    }

    package func mustFetchKeys(of client: Client, keyID: String?) -> Bool { false }
}
