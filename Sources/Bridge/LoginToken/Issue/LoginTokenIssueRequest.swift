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

    package init(token: Secret<String>, id: TokenID, expiresAt: Timestamp, expiresIn: Int, loginURL: Secret<String>) {
        self.token = token
        self.id = id
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
        self.loginURL = loginURL
    }
}
