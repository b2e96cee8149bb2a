import Crypto
import OAuth2

/// Checks a client's signed assertion (`private_key_jwt`, RFC 7523 §3, OpenID Connect Core §9).
struct ClientAssertionCheck: Sendable {
    /// An assertion that lives longer could be kept in stock.
    static let longestLife = Duration.seconds(600)
    /// How far two clocks may be apart.
    static let leeway = Duration.seconds(30)

    /// What `aud` may be: our issuer, or an endpoint of ours.
    let audiences: Set<String>
    let keys: any ClientKeySource
    let replays: any ReplayGuard

    /// - Returns: why the assertion proves nothing; `nil` when it does.
    func flaw(of assertion: Secret<String>, by client: Client, at now: Timestamp) async throws -> String? {
        guard let jws = CompactJWS(assertion.expose()), let claims = jws.claims else { return "malformed_assertion" }
        guard claims["iss"]?.string == client.id.rawValue, claims["sub"]?.string == client.id.rawValue else {
            return "assertion_issuer"
        }
        guard let audience = claims["aud"]?.oneOrMore, !audiences.isDisjoint(with: audience) else {
            return "assertion_audience"
        }
        guard let expiry = claims["exp"]?.decimal else { return "assertion_expiry" }
        // Nothing is signed yet here, so any number may come: it must not leave what an integer can hold.
        let expiresAt = Timestamp(milliseconds: Int64(min(max(expiry, 0), 1e12) * 1000))
        guard now < expiresAt + Self.leeway, expiresAt <= now + Self.longestLife else { return "assertion_expired" }
        if let start = claims["nbf"]?.decimal, start * 1000 > Double((now + Self.leeway).milliseconds) {
            return "assertion_not_yet_valid"
        }
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count) else { return "assertion_id" }
        let candidates = try await keys.keys(of: client).filter { key in
            jws.keyID == nil || key.id == nil || key.id == jws.keyID
        }
        guard candidates.contains(where: { $0.verifies(jws) }) else { return "assertion_signature" }
        let claim = try await replays.claim(
            Self.replayID(id, client: client.id), until: expiresAt + Self.leeway, at: now)
        return claim == .claimed ? nil : "assertion_replayed"
    }

    /// Under a name of its own, so that no client can use up another's assertion or a login token.
    private static func replayID(_ id: String, client: ClientID) -> TokenID {
        let digest = SHA256.hash(data: Array("client-assertion \(client.rawValue) \(id)".utf8))
        return TokenID(rawValue: Base64URL.encode(Array(digest)))
    }
}
