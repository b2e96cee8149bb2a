package import Bridge
package import OAuth2

/// An upstream OpenID Provider as it is configured.
package struct UpstreamProviderSettings: Sendable {
    package let id: String
    package let name: String
    package let issuer: String
    package let clientID: String
    package let clientSecret: Secret<String>
    package let scope: String
    /// Whether a sign-in there of which it says `mfa` (RFC 8176 §2) is one with two factors here: whoever can make it say
    /// that then passes for somebody who showed a second one.
    package let isTrustedWithFactors: Bool
    package let algorithms: Set<SignatureAlgorithm>

    package static let defaultScope = "openid profile email"
    package static let defaultAlgorithms: Set<SignatureAlgorithm> = [.rs256, .ps256, .es256, .edDSA]

    package init(
        id: String, name: String, issuer: String, clientID: String, clientSecret: Secret<String>,
        scope: String = defaultScope, isTrustedWithFactors: Bool = false,
        algorithms: Set<SignatureAlgorithm> = defaultAlgorithms
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.isTrustedWithFactors = isTrustedWithFactors
        self.algorithms = algorithms
    }
}
