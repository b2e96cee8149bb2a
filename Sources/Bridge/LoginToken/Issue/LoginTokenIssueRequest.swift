import Crypto
import OAuth2

/// What an app asks for (contract §3); values as they came, absent ones `nil`.
package struct LoginTokenIssueRequest: Sendable {
    package let targetClientID: String?
    /// The bytes of the path to land on.
    package let redirect: [UInt8]?
    /// Seconds, 1…60.
    package let ttl: Int?
    package let codeChallenge: String?
    package let codeChallengeMethod: String?
    package let bind: String?
    /// The `Idempotency-Key` header.
    package let idempotencyKey: String?

    package init(
        targetClientID: String? = nil, redirect: [UInt8]? = nil, ttl: Int? = nil, codeChallenge: String? = nil,
        codeChallengeMethod: String? = nil, bind: String? = nil, idempotencyKey: String? = nil
    ) {
        self.targetClientID = targetClientID
        self.redirect = redirect
        self.ttl = ttl
        self.codeChallenge = codeChallenge
        self.codeChallengeMethod = codeChallengeMethod
        self.bind = bind
        self.idempotencyKey = idempotencyKey
    }
}

/// The answer to an issue (contract §3).
package struct LoginTokenAnswer: Sendable {
    package let token: Secret<String>
    package let id: TokenID
    package let expiresAt: Timestamp
    /// Seconds.
    package let expiresIn: Int
    package let loginURL: Secret<String>
    /// What the app shows, to be typed into the page that the link opens.
    package let typedCode: Secret<String>?

    package init(
        token: Secret<String>, id: TokenID, expiresAt: Timestamp, expiresIn: Int, loginURL: Secret<String>,
        typedCode: Secret<String>? = nil
    ) {
        self.token = token
        self.id = id
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
        self.loginURL = loginURL
        self.typedCode = typedCode
    }
}

/// Digests of an `Idempotency-Key` and its request.
enum IssueFingerprint {
    /// Keys belong to one app and one user; the digest keeps them apart and keeps the key itself out of the store.
    static func keyDigest(_ key: String, bearer: BearerIdentity) -> String {
        digest(["key", bearer.clientID.rawValue, bearer.subject.rawValue, key])
    }

    /// Everything that the answer depends on besides chance, time and where the request comes from: an app repeats one
    /// whose answer it lost on its way from one network to another.
    static func request(_ terms: LoginTokenTerms, bearer: BearerIdentity) -> String {
        let network =
            switch terms.binding.network {
            case .none: "none"
            case .network: "network"
            case .exact: "exact"
            }
        let parts = [
            "request", terms.website.id.rawValue, String(terms.lifetime.inMilliseconds),
            terms.target?.serialized ?? "", terms.binding.challenge?.value ?? "", network,
            bearer.sessionID?.rawValue ?? "",
        ]
        // The token's own scope follows from it (contract §16, nothing grows along an edge): a narrowed bearer gets no
        // answer that was made for a wider one. Scope order means nothing (RFC 6749 §3.3); another issuer's bearer has
        // none.
        let scope = bearer.scope.map { "scope \($0.tokens.sorted().joined(separator: " "))" }
        // Another issuer's bearer brings how its user signed in with it, and no session of ours knows that better: a
        // weaker one gets no answer that was made for a stronger one. For our own, it is the session's, which is told
        // apart above.
        let signIn = bearer.authority == .own ? nil : signIn(of: bearer)
        return digest(parts + [scope, signIn].compactMap(\.self))
    }

    private static func signIn(of bearer: BearerIdentity) -> String {
        let (authentication, time) = (bearer.authentication, bearer.statedSignIn ?? bearer.authentication.time)
        return digest(
            ["sign-in", time.map { String($0.milliseconds) } ?? "", authentication.acr ?? ""]
                + authentication.amr.sorted())
    }

    private static func digest(_ parts: [String]) -> String {
        var hash = SHA256()
        for part in parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
        return Base64URL.encode(Array(hash.finalize()))
    }
}
