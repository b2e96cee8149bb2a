import OAuth2

/// Takes in login tokens that come with pushed requests (contract §4.5): each is checked, and kept until the first
/// visit.
package struct PushedLoginTokens: Sendable {
    /// Judges a token without using it up.
    package typealias Check =
        @Sendable (_ token: Secret<String>, _ client: Client, _ origin: RequestOrigin) async throws -> Bool

    private let seal: PushedLoginTokenSeal
    private let isGood: Check

    package init(
        keys: Reloadable<SecretKeyRing>, time: TimeSource, isGood: @escaping Check
    ) {
        seal = PushedLoginTokenSeal(keys: keys, time: time)
        self.isGood = isGood
    }

    /// - Parameter token: `nil` for one that is not text.
    /// - Returns: what is stored of it: sealed, since it still opens a session.
    func keep(_ token: String?, for client: Client, origin: RequestOrigin) async throws -> String {
        guard let token = token.map({ Secret($0) }), try await isGood(token, client, origin) else {
            throw OAuthError(
                .invalidRequest, "login_token is not valid for this client", detail: .loginTokenRefused)
        }
        return try seal.seal(token, for: client.id.rawValue)
    }
}

/// Seals login tokens between push and visit.
struct PushedLoginTokenSeal: Sendable {
    private let seal: ShortLivedSeal

    init(keys: Reloadable<SecretKeyRing>, time: TimeSource) {
        seal = ShortLivedSeal(keys: keys, purpose: .pushedLoginToken, time: time)
    }

    func seal(_ token: Secret<String>, for client: String) throws -> String {
        try seal.seal(Array(token.expose().utf8), binding: client, lifetime: PushedRequests.lifetime)
    }

    func open(_ text: String, for client: String) -> Secret<String>? {
        seal.open(text, binding: client).map { Secret(String(decoding: $0, as: UTF8.self)) }
    }
}
