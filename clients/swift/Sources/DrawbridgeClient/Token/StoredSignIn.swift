import Foundation

/// An app's own tokens, as they are kept in the secret store.
struct StoredSignIn: Sendable, Equatable {
    var accessToken: Redacted<String>
    var refreshToken: Redacted<String>?
    var expiresAt: Date
    /// Whether the access token is bound to a key.
    let isBound: Bool
    /// Whose tokens they are; what the provider says later must be about the same person.
    let subject: String
    /// What was granted; `nil` when the provider did not say, or an earlier version kept it.
    var scope: String?
    /// The claims of the ID token that it came with; those of a renewal are about the same sign-in (OpenID Connect Core
    /// §12.2). `nil` when an earlier version kept it.
    var claims: IDTokenClaims?
    /// Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it.
    var earlier: [Redacted<String>] = []

    /// How many of those an app keeps. The oldest of more end at once.
    static let mostEarlier = 8

    /// Those and its own.
    var refreshTokens: [Redacted<String>] { earlier + (refreshToken.map { [$0] } ?? []) }

    /// One item for each app and provider. In no sharing group: an app's tokens are its own.
    static func item(of configuration: ClientConfiguration) -> SecretItem {
        SecretItem(service: "drawbridge:\(configuration.clientID)", account: configuration.issuer.text)
    }

    /// - Returns: `nil` for what another version of the library, or other software, has written.
    init?(_ secret: Redacted<String>) {
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(secret.expose().utf8)) else { return nil }
        accessToken = Redacted(kept.accessToken)
        refreshToken = kept.refreshToken.map { Redacted($0) }
        expiresAt = Date(timeIntervalSince1970: kept.expiresAt)
        isBound = kept.isBound ?? false
        subject = kept.subject
        scope = kept.scope
        claims = kept.claims.flatMap { $0.subject == kept.subject ? $0 : nil }
        earlier = kept.earlier?.map { Redacted($0) } ?? []
    }

    /// For a sign-in that has just been made.
    init(_ answer: TokenAnswer, of claims: IDTokenClaims, at now: Date) {
        self.init(answer, subject: claims.subject, at: now)
        self.claims = claims
    }

    init(_ answer: TokenAnswer, subject: String, at now: Date) {
        accessToken = answer.accessToken
        refreshToken = answer.refreshToken
        // Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
        expiresAt = now.addingTimeInterval(answer.expiresIn ?? 0)
        isBound = answer.isBound
        self.subject = subject
        scope = answer.scope
    }

    /// The text to keep.
    func text() throws(ClientError) -> Redacted<String> {
        let kept = Kept(
            accessToken: accessToken.expose(), refreshToken: refreshToken?.expose(),
            expiresAt: expiresAt.timeIntervalSince1970, isBound: isBound, subject: subject, scope: scope,
            claims: claims, earlier: earlier.map { $0.expose() })
        guard let json = try? JSONEncoder().encode(kept) else { throw .secretStore("the tokens cannot be written") }
        return Redacted(String(decoding: json, as: UTF8.self))
    }

    private struct Kept: Codable {
        let accessToken: String
        let refreshToken: String?
        let expiresAt: Double
        // Absent in what a version before it has written.
        let isBound: Bool?
        let subject: String
        let scope: String?
        let claims: IDTokenClaims?
        let earlier: [String]?
    }
}
