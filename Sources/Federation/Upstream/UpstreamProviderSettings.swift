package import Bridge
import OAuth2

/// An upstream OpenID Provider as it is configured.
package struct UpstreamProviderSettings: Sendable {
    package let id: String
    package let name: String
    package let issuer: String
    package let clientID: String
    /// As it is at the start.
    package let clientSecret: Secret<String>
    /// Takes the secret from its file again; `nil` for one that is in no file.
    package let rereadSecret: (@Sendable () throws -> Secret<String>)?
    package let scope: String
    /// Whether a sign-in there of which it says `mfa` (RFC 8176 §2) is one with two factors here: anyone who can make
    /// it say that then passes for a user who showed a second one.
    package let isTrustedWithFactors: Bool

    package static let defaultScope = "openid profile email"
    static let algorithms: Set<SignatureAlgorithm> = [.rs256, .ps256, .es256, .edDSA]

    package init(
        id: String, name: String, issuer: String, clientID: String, clientSecret: Secret<String>,
        rereadSecret: (@Sendable () throws -> Secret<String>)? = nil, scope: String = defaultScope,
        isTrustedWithFactors: Bool = false
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.rereadSecret = rereadSecret
        self.scope = scope
        self.isTrustedWithFactors = isTrustedWithFactors
    }
}
