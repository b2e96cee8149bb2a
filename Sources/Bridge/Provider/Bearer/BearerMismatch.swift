/// What a refused token says, and what the settings say instead, for an operator who asks about that token
/// (contract §13). Nothing of it is verified, and none of it is for logs.
package struct BearerMismatch: Hashable, Sendable {
    /// The claim that does not agree.
    package let claim: String
    /// The token's own values, whatever they hold.
    package let said: [String]
    /// What would have been accepted.
    package var configured: [String]

    package init(claim: String, said: [String], configured: [String]) {
        self.claim = claim
        self.said = said
        self.configured = configured
    }
}
