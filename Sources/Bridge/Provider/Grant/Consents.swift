/// What a user has allowed a client to have, until it is taken back.
package struct Consent: Hashable, Sendable {
    package let clientID: ClientID
    package let scopes: Set<String>
    /// When the user agreed last.
    package let agreedAt: Timestamp

    package init(clientID: ClientID, scopes: Set<String>, agreedAt: Timestamp) {
        self.clientID = clientID
        self.scopes = scopes
        self.agreedAt = agreedAt
    }
}

/// What a user has agreed that apps and websites may have: looked at by the user, and taken back.
package final class Consents: Sendable {
    private let store: any GrantStore
    private let endings: SessionEndings
    private let time: TimeSource

    package init(store: any GrantStore, endings: SessionEndings, time: TimeSource) {
        self.store = store
        self.endings = endings
        self.time = time
    }

    /// What is shown in a session: nothing in one that came over an edge, since it is somebody's who need not be the
    /// user (contract §16.2).
    package func consents(shownTo session: WebSession) async throws -> [Consent] {
        session.isOwnSignIn ? try await store.consents(of: session.subject) : []
    }

    /// Takes back what the user of a session has allowed a client, and ends what the client was granted.
    /// - Returns: whether the session may do so; whether anything was allowed until now makes no difference.
    package func withdraw(
        from client: ClientID, in session: WebSession, origin: RequestOrigin
    ) async throws -> Bool {
        guard session.isOwnSignIn else { return false }
        let now = time.now()
        let ended = try await store.forgetConsent(
            of: session.subject, to: client,
            Ending(at: now, reason: .endedByUser, origin: origin, by: EndingAsker(session.id)),
            event: AuditEvent(
                at: now, type: .consentWithdrawn, outcome: .success, reason: AuditEvent.byTheUser,
                subject: session.subject, targetClientID: client, sessionID: session.id, origin: origin))
        await endings.take(in: ended ?? .nothing, of: .granted(to: client, of: session.subject))
        return true
    }
}
