import Crypto
package import OAuth2

/// Makes refresh tokens and their successors.
package struct RefreshTokens: Sendable {
    /// How long one may lie unused (RFC 9700 §4.14.2).
    package static let idleLifetime = Duration.seconds(30 * 86_400)
    /// How long a parent still gives its successor: the answer to the first try may have been lost.
    package static let grace = Duration.seconds(10)

    private let successorKey: SymmetricKey
    private let random: RandomSource

    package init(master: MasterKey, random: RandomSource = .system) {
        successorKey = master.derived("refresh token successor")
        self.random = random
    }

    package func make() -> OpaqueSecret { OpaqueSecret.make(.refreshToken, random: random) }

    /// The one successor of a token: computed from it, so that it can be given twice and kept as a digest only.
    func successor(of parent: OpaqueSecret) -> OpaqueSecret {
        let code = Array(
            HMAC<SHA256>.authenticationCode(for: Array(parent.expose().utf8), using: successorKey))
        return OpaqueSecret.make(.refreshToken, random: RandomSource { _ in code })
    }

    package func record(
        _ token: OpaqueSecret, for session: AppSession, scope: Scope, proofKeyThumbprint: String?, at now: Timestamp
    ) -> RefreshTokenRecord {
        RefreshTokenRecord(
            digest: token.digest, sessionID: session.id, scope: scope, proofKeyThumbprint: proofKeyThumbprint,
            issuedAt: now, expiresAt: min(now + Self.idleLifetime, session.expiresAt))
    }
}
