import OAuth2

/// A text in the place of an access token, with what was made of it on the way, so that it is not made once more.
package struct AccessTokenText: Sendable {
    let token: Secret<String>
    let digest: TokenDigest
    private let takenApart: Secret<CompactJWS>?

    /// - Parameter jws: the token itself, where it has been taken apart.
    init(_ token: Secret<String>, digest: TokenDigest, jws: CompactJWS? = nil) {
        self.token = token
        self.digest = digest
        takenApart = jws.map { Secret($0) }
    }

    /// The token taken apart, and not verified; `nil` when it is no JWS.
    var jws: CompactJWS? { takenApart?.expose() ?? CompactJWS(token.expose()) }
}
