import Bridge

/// This service as an issuer besides the trusted ones, which must not be able to name its users (contract §1.3).
package struct OwnIssuer: Sendable {
    private let name: String?
    /// Whether users sign in here: with accounts, at an upstream provider, with a phone's key, or through the OAuth
    /// provider.
    package let signsUsersIn: Bool

    /// Stands alone, as far as the trusted issuers go.
    package static let none = OwnIssuer(name: nil, signsUsersIn: false)

    /// - Parameter name: `iss` of its own tokens.
    package init(name: String?, signsUsersIn: Bool) {
        self.name = name
        self.signsUsersIn = signsUsersIn
    }

    /// Whether an issuer bears a name that stands for this service, in tokens or in users' rows.
    func isNamed(_ issuer: String) -> Bool {
        [name, Account.issuer].contains { $0?.hasSameBytes(as: issuer) == true }
    }
}
