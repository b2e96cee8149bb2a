import OAuth2

// What of an earlier grant counts now.
extension Client {
    /// What it has now of a scope that it was granted: what its document has lost since counts no longer, and comes back
    /// with the document.
    func present(of granted: Scope) -> Scope { granted.intersection(grantableScope) }

    /// What of a user's access token's scope counts now: who the user is needs no scope, as every session says it
    /// (``Lineage/limiting(_:)``).
    func presentScope(ofToken scope: Scope) -> Scope {
        scope.intersection(grantableScope.adding(Scope.openID))
    }
}

extension Lineage {
    /// Whether a token has everything of the session that its client may have now. The scope for a device secret does
    /// not count: an answer without a secret leaves it out, and the session keeps it (draft-07 §3.1, §3.3).
    func isWhole(_ token: Scope, for client: Client) -> Bool {
        client.present(of: scope ?? .empty).removing(Scope.deviceSSO).isSubset(of: token)
    }
}

extension Scope {
    /// What its client gets now of an earlier grant: the client's document may have lost a scope since.
    /// - Parameter present: what the client may be granted at most.
    /// - Throws: `invalid_scope` when nothing is left of it (RFC 6749 §5.2): a token without a scope is not what the
    ///   user agreed to.
    func stillGranted(within present: Scope) throws(OAuthError) -> Scope {
        let left = intersection(present)
        guard !left.isEmpty else {
            throw OAuthError(
                .invalidScope, "the client may have none of these scopes any more", detail: .scopeTakenAway)
        }
        return left
    }
}
