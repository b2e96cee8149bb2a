import OAuth2

extension Client {
    /// Whether its tokens may administer at all.
    package var mayAdminister: Bool { scope.contains(Scope.admin) }

    /// The ``adminEpoch`` once this state of the client is stored: another one where somebody may hold a token that
    /// should administer no longer, because of what it was got with (ADR-0074).
    /// - Parameter seen: the state before; `nil` for a client that is new, whose id another may have had.
    package func epoch(replacing seen: Client?, at now: Timestamp) -> Timestamp {
        guard let seen else { return mayAdminister ? now : AdminCredential.firstEpoch }
        guard mayAdminister || seen.mayAdminister else { return seen.adminEpoch }
        guard mayAdminister != seen.mayAdminister || !authenticates(as: seen) else { return seen.adminEpoch }
        // Also by the clock of a node that is behind.
        return max(now, seen.adminEpoch + .milliseconds(1))
    }

    private func authenticates(as other: Client) -> Bool {
        authenticationMethod == other.authenticationMethod && secretDigest == other.secretDigest
            && keys == other.keys && keysURI == other.keysURI
    }

    /// What an access token with this scope says of its epoch; `nil` for one that administers nothing.
    func epoch(in scope: Scope) -> Timestamp? { scope.contains(Scope.admin) ? adminEpoch : nil }

    /// Whether a token of that epoch may administer still. A later epoch is of a state that this node does not know yet.
    func letsAdminister(since epoch: Timestamp) -> Bool { mayAdminister && epoch >= adminEpoch }
}
