import OAuth2

/// The session that an app issues from (`sid` of its bearer), as far as it is one of ours.
package final class ParentSessions: Sendable {
    /// Whether login tokens may be issued from a session (contract §16.4).
    package enum Standing: Hashable, Sendable {
        case mayIssue(IssuingSession)
        /// A session that was itself handed over, or a browser's: no chains (contract §16.4).
        case chained
        case ended
    }

    private let store: any SessionStore & LoginTokenStore & BearerStore
    private let sessions: AppSessions
    /// The standing of sessions that are not an app's.
    private let others: ShortLivedCache<SessionID, Standing>

    /// - Parameter sessions: what our own bearers are checked against as well, so that an issue reads no row twice.
    package init(
        store: any SessionStore & LoginTokenStore & BearerStore, sessions: AppSessions, time: TimeSource
    ) {
        self.store = store
        self.sessions = sessions
        others = ShortLivedCache(time: time)
    }

    /// At an issue; at most a second old.
    /// - Parameter scope: what the bearer has.
    func standing(of id: SessionID?, scope: Scope?, at now: Timestamp) async throws -> Standing {
        guard let id else { return .mayIssue(.foreign) }
        guard let session = try await sessions.recent(id) else {
            return try await others.value(for: id) { try await unknown(id, at: now) }
        }
        // Kept nowhere again: the two ages would add up.
        return Self.standing(of: session, scope: scope ?? session.scope, at: now)
    }

    /// At a redemption.
    /// - Parameter isHandOff: whether a portal issued the token, for a browser's session.
    func standing(of claims: LoginTokenClaims, isHandOff: Bool, at now: Timestamp) async throws -> Standing {
        if isHandOff {
            guard let id = claims.sessionID, let session = try await store.session(id: id), session.isAlive(at: now)
            else { return .ended }
            return session.isOwnSignIn ? .mayIssue(.browser(session)) : .chained
        }
        guard let id = claims.sessionID else { return .mayIssue(.foreign) }
        switch try await store.issuingSession(id, of: claims.id) {
        case .app(let session, let scope):
            return Self.standing(of: session, scope: scope ?? session.scope, at: now)
        case .browser(let session): return Self.standing(of: session, at: now)
        case nil: return .mayIssue(.foreign)
        }
    }

    /// Reads at once what another issuer's bearer is judged by, where each look-up is a round trip: by `subjects` its
    /// user, and here the session that it names (ADR-0088). It judges nothing.
    func readAhead(_ bearer: BearerIdentity, for subjects: Subjects, at now: Timestamp) async throws {
        guard let id = bearer.sessionID, store.isRemote else { return }
        let user = subjects.lookUp(bearer.subject)
        let app = sessions.lookUp(id)
        let browser = app == nil ? nil : others.lookUp(id)
        guard user != nil || app != nil else { return }
        do {
            let found = try await store.bearerRecords(
                BearerKeys(user: user?.key, appSession: app?.key, webSession: browser?.key))
            user?.end(with: found.user)
            app?.end(with: found.appSession)
            browser?.end(with: Self.standing(of: found.webSession, at: now))
        } catch {
            user?.abandon()
            app?.abandon()
            browser?.abandon()
            throw error
        }
    }

    /// Whether the session that a token was issued from is over; another issuer's never is here.
    func hasEnded(issuing token: IssuedLoginToken, at now: Timestamp) async throws -> Bool {
        guard let id = token.sessionID else { return false }
        return switch try await store.issuingSession(id, of: token.id) {
        case .app(let session, _): !session.isAlive(at: now)
        case .browser(let session): !session.isAlive(at: now)
        case nil: false
        }
    }

    private static func standing(of session: AppSession, scope: Scope, at now: Timestamp) -> Standing {
        guard session.isAlive(at: now) else { return .ended }
        return session.lineage.mayBeHandedOn ? .mayIssue(.own(session, scope: scope)) : .chained
    }

    /// One that is not an app's: a browser's, which never issues, or another issuer's.
    private func unknown(_ id: SessionID, at now: Timestamp) async throws -> Standing {
        Self.standing(of: try await store.session(id: id), at: now)
    }

    private static func standing(of browser: WebSession?, at now: Timestamp) -> Standing {
        guard let browser else { return .mayIssue(.foreign) }
        return browser.isAlive(at: now) ? .chained : .ended
    }
}

/// Lets trusted issuers speak for their own users and sessions alone (contract §1.3).
///
/// Comes after the cache of verified tokens: what a subject is may change while a token lives.
package struct IssuerBoundary: BearerAuthenticator {
    private let issuers: any BearerAuthenticator
    private let subjects: Subjects
    private let parents: ParentSessions

    package init(_ issuers: any BearerAuthenticator, subjects: Subjects, parents: ParentSessions) {
        self.issuers = issuers
        self.subjects = subjects
        self.parents = parents
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let identity = try await issuers.authenticate(token, at: now)
        try await parents.readAhead(identity, for: subjects, at: now)
        guard try await subjects.mayBeNamed(by: identity) else { throw BearerRefusal.subjectOfAnotherIssuer }
        // Nothing may be hung under a session here on another issuer's word.
        guard try await parents.standing(of: identity.sessionID, scope: nil, at: now) == .mayIssue(.foreign) else {
            throw BearerRefusal.sessionOfAnotherIssuer
        }
        return identity
    }

    package func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool {
        issuers.mustAskIssuer(about: token, at: now)
    }

    package func claimedIssuer(of token: Secret<String>) -> String? { issuers.claimedIssuer(of: token) }

    package func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch? {
        issuers.mismatch(of: token, refusedFor: reason)
    }
}
