package import Bridge
package import Logging
import OAuth2

/// An upstream OpenID Provider: authorization code with PKCE and nonce, ID token verified by its published keys.
package final class OpenIDProvider: UpstreamProvider {
    package var id: String { settings.id }
    package var name: String { settings.name }

    private let settings: UpstreamProviderSettings
    private let clientSecret: Reloadable<Secret<String>>
    private let connection: IssuerConnection
    private let keys: RemoteKeySet
    private let metadata: RemoteDocument<UpstreamMetadata>
    private let time: TimeSource
    private let logger: Logger

    private static let metadataLifetime = Duration.seconds(600)
    /// Every visitor of the sign-in page can have the provider asked, also while it fails; and when it is back no
    /// visitor is to wait for long.
    private static let metadataFloor = Duration.seconds(5)
    /// How far the provider's clock may be off.
    private static let leeway = Duration.seconds(30)

    /// - Returns: `nil` when the issuer is not a secure URL. Nothing is fetched yet.
    package init?(
        _ settings: UpstreamProviderSettings, limits: FetchLimits = FetchLimits(), time: TimeSource = .system,
        logger: Logger
    ) {
        guard let issuer = EndpointURL(settings.issuer, allowingQuery: false) else { return nil }
        self.settings = settings
        clientSecret = Reloadable(settings.clientSecret)
        self.time = time
        self.logger = logger
        let connection = IssuerConnection(limits: limits)
        self.connection = connection
        var lasting = limits
        lasting.refreshInterval = Self.metadataLifetime
        lasting.refreshAhead = Self.metadataLifetime
        lasting.refetchFloor = Self.metadataFloor
        metadata = RemoteDocument(limits: lasting) {
            try await UpstreamMetadata.fetch(for: issuer, over: connection)
        } onFailure: { error in
            logger.warning(
                "an upstream provider's metadata could not be fetched",
                metadata: ["issuer": "\(settings.issuer)", "error": "\(error)"])
        }
        keys = RemoteKeySet(issuer: settings.issuer, limits: limits, logger: logger) {
            let url = try await UpstreamMetadata.fetch(for: issuer, over: connection).keySetURL
            return try KeySet(
                json: try await connection.get(url), allowed: UpstreamProviderSettings.algorithms,
                maximumKeys: limits.maximumKeys)
        }
    }

    package func authorizationURL(for request: UpstreamRequest, isFresh: Bool) async throws -> String {
        let endpoint = try await currentMetadata().authorizationEndpoint.description
        var parameters = [
            (name: "response_type", value: "code"), (name: "client_id", value: settings.clientID),
            (name: "redirect_uri", value: request.redirectURI), (name: "scope", value: settings.scope),
            (name: "state", value: request.state), (name: "nonce", value: request.nonce),
            (name: "code_challenge", value: CodeChallenge(for: request.verifier).value),
            (name: "code_challenge_method", value: "S256"),
        ]
        // `max_age` too: with it the ID token has to say when the user signed in (OpenID Connect Core §3.1.2.1).
        if isFresh { parameters += [(name: "prompt", value: "login"), (name: "max_age", value: "0")] }
        return RedirectAnswer.location(endpoint, parameters)
    }

    package func user(
        code: Secret<String>, issuer named: String?, for request: UpstreamRequest, at now: Timestamp
    ) async throws -> UpstreamUser {
        let metadata = try await currentMetadata()
        guard named.map({ $0.hasSameBytes(as: settings.issuer) }) ?? !metadata.promisesIssuer else {
            throw UpstreamRefusal.otherIssuer
        }
        let form = Self.form(
            code: code.expose(), redirectURI: request.redirectURI, verifier: request.verifier.value)
        let answer = try await exchange(form, at: metadata.tokenEndpoint)
        guard let token = JSONValue.parse(answer)?.object?["id_token"]?.string, let token = ForeignToken(token) else {
            throw UpstreamRefusal.badToken
        }
        guard try await flaw(of: token, typed: ["jwt"], at: now) == nil else { throw UpstreamRefusal.badToken }
        guard let nonce = token.claims["nonce"]?.string,
            ConstantTime.equals(nonce.utf8, request.nonce.utf8)
        else { throw UpstreamRefusal.wrongNonce }
        return try user(token.claims)
    }

    /// What a code is exchanged with (RFC 6749 §4.1.3, RFC 7636 §4.5).
    static func form(code: String, redirectURI: String, verifier: String) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
    }

    private func exchange(_ form: [(String, String)], at endpoint: EndpointURL) async throws -> [UInt8] {
        do {
            return try await connection.post(
                endpoint, form: form, clientID: settings.clientID, secret: clientSecret.current)
        } catch let failure as IssuerConnection.Failure {
            guard !failure.refusesCode else { throw UpstreamRefusal.badCode }
            // Nothing that the user could do better: the code may well be good.
            logger.warning(
                failure.refusesClient
                    ? "an upstream provider refuses our client_id or client_secret_file"
                    : "an upstream provider's token endpoint gave no usable answer",
                metadata: ["issuer": "\(settings.issuer)", "error": "\(failure)"])
            throw StorageError.unavailable("the upstream provider gives no tokens")
        }
    }

    /// Keeps the secret it has when the file is broken, and says so.
    package func reload() throws {
        keys.reload()
        metadata.forget()
        guard let secret = try settings.rereadSecret?() else { return }
        clientSecret.replace(with: secret)
    }

    package func logoutToken(_ text: String, at now: Timestamp) async throws -> LogoutToken {
        guard let token = ForeignToken(text) else { throw LogoutTokenRefusal.malformed }
        // Older providers write the plain "JWT" of any token; its claims tell that it is not an ID token.
        if let flaw = try await self.flaw(of: token, typed: ["logout+jwt", "jwt"], at: now) {
            throw flaw.logoutTokenRefusal
        }
        let claims = token.claims
        guard let issued = claims["iat"].flatMap(Timestamp.init(numericDate:)) else {
            throw LogoutTokenRefusal.notYetValid
        }
        let end = issued + LogoutToken.longestUse + Self.leeway
        guard now < end else { throw LogoutTokenRefusal.tooOld }
        guard claims["events"]?.object?[IDTokenCodec.logoutEvent]?.object != nil else {
            throw LogoutTokenRefusal.noEvent
        }
        guard claims["nonce"] == nil else { throw LogoutTokenRefusal.hasNonce }
        guard let id = claims["jti"]?.string, ClaimText.isAcceptable(id) else { throw LogoutTokenRefusal.withoutID }
        return LogoutToken(
            issuer: settings.issuer, reach: try Self.reach(of: claims), id: id, madeAfter: issued - Self.leeway,
            usableUntil: end)
    }

    private static func reach(of claims: [String: JSONValue]) throws(LogoutTokenRefusal) -> LogoutToken.Reach {
        let user = try name("sub", in: claims)
        if let session = try name("sid", in: claims) { return .session(session, of: user) }
        guard let user else { throw .nobodyNamed }
        return .user(user)
    }

    /// - Throws: ``LogoutTokenRefusal/malformed`` for one that is there and is not a name: guessing would end too much.
    private static func name(
        _ name: String, in claims: [String: JSONValue]
    ) throws(LogoutTokenRefusal) -> String? {
        guard let value = claims[name] else { return nil }
        guard let text = value.string, ClaimText.isAcceptable(text) else { throw .malformed }
        return text
    }

    /// What ID tokens and logout tokens must have alike (OpenID Connect Core §3.1.3.7, Back-Channel Logout 1.0 §2.6).
    /// The signature is last: what is not for us has no keys fetched.
    private func flaw(
        of token: ForeignToken, typed types: Set<String>, at now: Timestamp
    ) async throws -> UpstreamTokenFlaw? {
        guard !token.hasCriticalExtensions, token.type.map({ types.contains($0) }) ?? true else { return .wrongType }
        guard let algorithm = SignatureAlgorithm(joseName: token.algorithm),
            UpstreamProviderSettings.algorithms.contains(algorithm)
        else { return .wrongAlgorithm }
        guard token.claims["iss"]?.string?.hasSameBytes(as: settings.issuer) == true else { return .wrongIssuer }
        let audience = token.claims["aud"]?.oneOrMore ?? []
        guard audience.contains(where: { $0.hasSameBytes(as: settings.clientID) }),
            audience.count == 1 || token.claims["azp"]?.string?.hasSameBytes(as: settings.clientID) == true
        else { return .wrongAudience }
        guard let expiry = token.claims["exp"].flatMap(Timestamp.init(numericDate:)), now < expiry + Self.leeway else {
            return .expired
        }
        guard let issued = token.claims["iat"].flatMap(Timestamp.init(numericDate:)), issued - Self.leeway <= now
        else { return .notYetValid }
        let candidates = try await keys.keys(keyID: token.keyID, algorithm: algorithm, at: now)
        guard !candidates.isEmpty || token.keyID == nil else { return .unknownKey }
        return candidates.contains { token.isSigned(with: $0, by: algorithm) } ? nil : .badSignature
    }

    private func user(_ claims: [String: JSONValue]) throws -> UpstreamUser {
        func text(_ name: String) -> String? {
            claims[name]?.string.flatMap { ClaimText.isAcceptable($0) ? $0 : nil }
        }
        guard let subject = text("sub") else { throw UpstreamRefusal.badToken }
        let methods = (claims["amr"]?.strings ?? []).filter {
            ClaimText.isAcceptable($0) && $0.utf8.count <= 64
                && (settings.isTrustedWithFactors || $0 != Authentication.multipleFactors)
        }
        return UpstreamUser(
            identity: UpstreamIdentity(issuer: settings.issuer, subject: subject),
            name: text("name") ?? text("preferred_username"), email: text("email"),
            authenticatedAt: claims["auth_time"].flatMap(Timestamp.init(numericDate:)),
            methods: Array(methods.prefix(16)), session: text("sid"))
    }

    private func currentMetadata() async throws -> UpstreamMetadata {
        guard let metadata = await self.metadata.content(at: time.now(), where: { _ in true }) else {
            throw StorageError.unavailable("the upstream provider's metadata cannot be fetched")
        }
        return metadata
    }
}
