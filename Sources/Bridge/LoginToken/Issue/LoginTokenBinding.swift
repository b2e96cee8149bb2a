package import OAuth2

/// What a redeeming browser must show besides the token (`cnf`, contract §3).
package struct LoginTokenBinding: Hashable, Sendable {
    /// How the browser's network is compared with the app's at issue; only inside one address family.
    package enum Network: Hashable, Sendable {
        case none
        /// /24 of IPv4, /48 of IPv6, in CIDR form.
        case network(String)
        /// One address.
        case exact(String)
    }

    /// The PKCE challenge that `code_verifier` must answer.
    package let challenge: CodeChallenge?
    package let network: Network

    package init(challenge: CodeChallenge? = nil, network: Network = .none) {
        self.challenge = challenge
        self.network = network
    }

    package static let none = LoginTokenBinding()
}
