import Bridge
import OAuth2

/// One issuer's way of proving that a token is its own.
protocol TrustedIssuer: Sendable {
    var settings: TrustedIssuerSettings { get }

    /// Verifies a token that is, or claims to be, this issuer's.
    /// - Parameter parsed: the token taken apart, when it is a JWT.
    func identity(of token: Secret<String>, parsed: ForeignToken?, at now: Timestamp) async throws -> BearerIdentity

    /// Whether that takes a request about this very token.
    func mustAsk(about token: Secret<String>, at now: Timestamp) -> Bool

    /// Reads files again and forgets what was fetched.
    func reload() async throws
}

/// An issuer whose tokens are verified here, by signature.
final class SigningIssuer: TrustedIssuer {
    let settings: TrustedIssuerSettings
    let algorithms: Set<SignatureAlgorithm>
    let keys: any KeySource

    init(
        settings: TrustedIssuerSettings, algorithms: Set<SignatureAlgorithm>, keys: any KeySource
    ) {
        self.settings = settings
        self.algorithms = algorithms
        self.keys = keys
    }

    /// How long a verified token is believed before its key is looked for again: with the key's own age of
    /// ``FetchLimits/refreshAhead``, a key that its issuer has withdrawn is good for a minute at most.
    static let cacheLifetime = Duration.seconds(30)

    func identity(of token: Secret<String>, parsed: ForeignToken?, at now: Timestamp) async throws -> BearerIdentity {
        guard let parsed else { throw BearerRefusal.malformed }
        guard let algorithm = SignatureAlgorithm(joseName: parsed.algorithm), algorithms.contains(algorithm) else {
            throw BearerRefusal.wrongAlgorithm
        }
        let candidates = try await keys.keys(keyID: parsed.keyID, algorithm: algorithm, at: now)
        guard !candidates.isEmpty else { throw BearerRefusal.unknownKey }
        guard candidates.contains(where: { parsed.isSigned(with: $0, by: algorithm) }) else {
            throw BearerRefusal.badSignature
        }
        return try BearerClaims(settings: settings, claims: parsed.claims)
            .identity(at: now, cacheLifetime: Self.cacheLifetime, isSigned: true)
    }

    func mustAsk(about token: Secret<String>, at now: Timestamp) -> Bool { false }

    func reload() async throws { try await keys.reload() }
}
