package import Bridge
package import Logging
import OAuth2
import Synchronization

/// An upstream OpenID Provider: authorization code with PKCE and nonce, ID token verified by its published keys.
package final class OpenIDProvider: UpstreamProvider {
    package var id: String { settings.id }
    package var name: String { settings.name }

    private let settings: UpstreamProviderSettings
    private let issuer: EndpointURL
    private let connection: IssuerConnection
    private let keys: RemoteKeySet
    private let metadata = Mutex<(value: UpstreamMetadata, until: Timestamp)?>(nil)
    private let time: TimeSource

    private static let metadataLifetime = Duration.seconds(600)

    /// - Returns: `nil` when the issuer is not a secure URL. Nothing is fetched yet.
    package init?(
        _ settings: UpstreamProviderSettings, limits: FetchLimits = FetchLimits(), time: TimeSource = .system,
        logger: Logger
    ) {
        guard let issuer = EndpointURL(settings.issuer, allowingQuery: false) else { return nil }
        self.settings = settings
        self.issuer = issuer
        self.time = time
        let connection = IssuerConnection(limits: limits)
        self.connection = connection
        keys = RemoteKeySet(issuer: settings.issuer, limits: limits, logger: logger) {
            let url = try await Self.fetch(issuer, over: connection).keySetURL
            return try KeySet(
                json: try await connection.get(url), allowed: settings.algorithms, maximumKeys: limits.maximumKeys)
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
        guard named.map({ $0 == settings.issuer }) ?? !metadata.promisesIssuer else {
            throw UpstreamRefusal.otherIssuer
        }
        let answer: [UInt8]
        do {
            answer = try await connection.post(
                metadata.tokenEndpoint,
                form: [
                    ("grant_type", "authorization_code"), ("code", code.expose()),
                    ("redirect_uri", request.redirectURI), ("code_verifier", request.verifier.value),
                ], clientID: settings.clientID, secret: settings.clientSecret)
        } catch IssuerConnection.Failure.status(let status) where (400..<500).contains(status) {
            throw UpstreamRefusal.badCode
        } catch is IssuerConnection.Failure {
            throw StorageError.unavailable("the upstream provider cannot be reached")
        }
        guard let token = JSONValue.parse(answer)?.object?["id_token"]?.string, let token = ForeignToken(token) else {
            throw UpstreamRefusal.badToken
        }
        try await verify(token, at: now)
        guard let nonce = token.claims["nonce"]?.string,
            ConstantTime.equals(nonce.utf8, request.nonce.utf8)
        else { throw UpstreamRefusal.wrongNonce }
        return try user(token.claims)
    }

    /// OpenID Connect Core §3.1.3.7.
    private func verify(_ token: ForeignToken, at now: Timestamp) async throws {
        guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm), settings.algorithms.contains(algorithm),
            !token.hasCriticalExtensions, token.type == nil || token.type == "jwt"
        else { throw UpstreamRefusal.badToken }
        let candidates = try await keys.keys(keyID: token.keyID, algorithm: algorithm, at: now)
        let leeway = Duration.seconds(30)
        let audience = token.claims["aud"]?.string.map { [$0] } ?? token.claims["aud"]?.strings ?? []
        guard
            candidates.contains(where: { token.isSigned(with: $0, by: algorithm) }),
            token.claims["iss"]?.string == settings.issuer, audience.contains(settings.clientID),
            audience.count == 1 || token.claims["azp"]?.string == settings.clientID,
            let expiry = token.claims["exp"].flatMap(Timestamp.init(numericDate:)), now < expiry + leeway,
            let issued = token.claims["iat"].flatMap(Timestamp.init(numericDate:)), issued - leeway <= now
        else { throw UpstreamRefusal.badToken }
    }

    private func user(_ claims: [String: JSONValue]) throws -> UpstreamUser {
        func text(_ name: String) -> String? {
            claims[name]?.string.flatMap { ClaimText.isAcceptable($0) ? $0 : nil }
        }
        guard let subject = text("sub") else { throw UpstreamRefusal.badToken }
        let methods = claims["amr"]?.strings?.filter { ClaimText.isAcceptable($0) && $0.utf8.count <= 64 } ?? []
        return UpstreamUser(
            identity: UpstreamIdentity(issuer: settings.issuer, subject: subject),
            name: text("name") ?? text("preferred_username"), email: text("email"),
            authenticatedAt: claims["auth_time"].flatMap(Timestamp.init(numericDate:)),
            methods: Array(methods.prefix(16)))
    }

    private func currentMetadata() async throws -> UpstreamMetadata {
        let now = time.now()
        if let known = metadata.withLock({ $0 }), now < known.until { return known.value }
        let fresh = try await Self.fetch(issuer, over: connection)
        metadata.withLock { $0 = (fresh, now + Self.metadataLifetime) }
        return fresh
    }

    private static func fetch(_ issuer: EndpointURL, over connection: IssuerConnection) async throws -> UpstreamMetadata
    {
        let json: [UInt8]
        do {
            guard let location = IssuerMetadata.locations(of: issuer).first else {
                throw StorageError.unavailable("the upstream provider has no metadata")
            }
            json = try await connection.get(location)
        } catch is IssuerConnection.Failure {
            throw StorageError.unavailable("the upstream provider cannot be reached")
        }
        guard let metadata = UpstreamMetadata(json: json, issuer: issuer.description) else {
            throw StorageError.unavailable("the upstream provider's metadata cannot be used")
        }
        return metadata
    }
}
