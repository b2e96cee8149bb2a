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

// What counts now of what came by exchanges: what an app loses, the apps that it signed in lose too (contract §16.4).
extension Client {
    /// Whether all apps that a session of this one came by are still registered, may use Native SSO, and share their
    /// sign-ins with this one, by themselves or by way of each other: their order is not kept.
    /// - Parameter above: ``Lineage/appsAbove``; `nil` in place of one that is no longer registered.
    func isStillSignedIn(by above: [Client?]) -> Bool {
        let apps = above.compactMap(\.self)
        guard apps.count == above.count, apps.allSatisfy(\.isNativeSSOEnabled) else { return false }
        var reached: Set<ClientID> = [id]
        // Each turn goes at least one edge up, as long as any is left.
        for _ in apps {
            for app in apps where !app.shareWith.isDisjoint(with: reached) { reached.insert(app.id) }
        }
        return apps.allSatisfy { reached.contains($0.id) }
    }
}

extension Scope {
    /// What of it each app above may still have; of one that is no longer registered, who the user is alone.
    /// - Parameter above: ``Lineage/appsAbove``; `nil` in place of one that is no longer registered.
    func present(in above: [Client?]) -> Scope {
        above.reduce(self) { left, app in
            app?.presentScope(ofToken: left) ?? left.intersection(Scope(tokens: [Scope.openID]))
        }
    }
}

extension IssuingSession {
    /// With as much of the bearer's scope as counts now: its app, or one that it came by, may have lost some since.
    func present(in directory: ClientDirectory) -> IssuingSession {
        guard case .own(let session, let scope) = self else { return self }
        let apps = session.lineage.appsAbove.union([session.clientID]).map { directory[$0] }
        return .own(session, scope: scope.present(in: apps))
    }

    /// Whether the apps that it came by through exchanges share their sign-ins still.
    func isStillShared(in directory: ClientDirectory) -> Bool {
        guard case .own(let session, _) = self else { return true }
        let above = session.lineage.appsAbove.map { directory[$0] }
        return directory[session.clientID]?.isStillSignedIn(by: above) ?? false
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
