/// A signing key as an administrator sees it.
package struct KeyOverview: Hashable, Sendable {
    /// What a key does now.
    package enum State: String, Sendable {
        /// Published, and will sign from ``signsFrom``.
        case waiting
        case signing
        /// Verifies what it signed, and signs nothing more.
        case verifying
        case retired
    }

    package let id: String
    /// What it signs: `login_token`, `access_token`…
    package let use: String
    package let algorithm: String
    package let state: State
    package let signsFrom: Timestamp
    package let retiresAt: Timestamp?

    package init(
        id: String, use: String, algorithm: String, state: State, signsFrom: Timestamp, retiresAt: Timestamp?
    ) {
        self.id = id
        self.use = use
        self.algorithm = algorithm
        self.state = state
        self.signsFrom = signsFrom
        self.retiresAt = retiresAt
    }
}

/// The signing keys, which an administrator lists and rotates.
package protocol KeyRegister: Sendable {
    func keys() async throws -> [KeyOverview]

    /// Adds a key that signs from now on; the old ones verify what they signed for as long as it lives.
    func rotate(action: AdminAction) async throws
}
