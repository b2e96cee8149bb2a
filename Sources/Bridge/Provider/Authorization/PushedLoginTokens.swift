import OAuth2

/// Takes in login tokens that come with pushed requests (contract §4.5): each is checked, and kept until the first
/// visit.
package struct PushedLoginTokens: Sendable {
    /// Judges a token without using it up.
    package typealias Check =
        @Sendable (_ token: Secret<String>, _ client: Client, _ origin: RequestOrigin) async throws -> Bool

    private let seal: PushedTokenSeal
    private let isGood: Check

    package init(
        keys: Reloadable<SecretKeyRing>, time: TimeSource, isGood: @escaping Check
    ) {
        seal = PushedTokenSeal(.pushedLoginToken, keys: keys, time: time)
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

/// Hides the ID token that a pushed request brings as a hint, between push and visit: it is half of what opens a Native
/// SSO exchange (contract §5.4), and stores hold no secrets.
struct PushedHints: Sendable {
    private static let name = "\(AuthorizationParameter.idTokenHint)="
    private let seal: PushedTokenSeal

    init(keys: Reloadable<SecretKeyRing>, time: TimeSource) {
        seal = PushedTokenSeal(.pushedIDTokenHint, keys: keys, time: time)
    }

    /// A request's form as it is stored.
    /// - Parameter form: ``AuthorizationParameter/serialize(_:)`` of the request.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may seal now.
    func sealed(_ form: String, for client: ClientID) throws -> String {
        try replacing(in: form) { try seal.seal(Secret($0), for: client.rawValue) }
    }

    /// A stored form with its hint as it came. What does not open stays as it is: a node of an earlier version sealed
    /// none, and a hint that nobody can open is refused as any that is not ours.
    func opened(_ form: String, for client: ClientID) -> String {
        replacing(in: form) { seal.open($0, for: client.rawValue)?.expose() ?? $0 }
    }

    private func replacing(in form: String, with value: (String) throws -> String) rethrows -> String {
        var pairs: [String] = []
        for pair in form.split(separator: "&", omittingEmptySubsequences: false) {
            guard pair.hasPrefix(Self.name) else {
                pairs.append(String(pair))
                continue
            }
            let replaced = try value(String(pair.dropFirst(Self.name.count)))
            pairs.append(Self.name + replaced)
        }
        return pairs.joined(separator: "&")
    }
}

/// Seals tokens between push and visit.
struct PushedTokenSeal: Sendable {
    private let seal: ShortLivedSeal

    init(_ purpose: DerivedKeyPurpose, keys: Reloadable<SecretKeyRing>, time: TimeSource) {
        seal = ShortLivedSeal(keys: keys, purpose: purpose, time: time)
    }

    func seal(_ token: Secret<String>, for client: String) throws -> String {
        // A seal ends with a whole second, and must not end before its request.
        let lifetime = PushedRequests.lifetime + .seconds(1)
        return try seal.seal(Array(token.expose().utf8), binding: client, lifetime: lifetime)
    }

    func open(_ text: String, for client: String) -> Secret<String>? {
        seal.open(text, binding: client).map { Secret(String(decoding: $0, as: UTF8.self)) }
    }
}
