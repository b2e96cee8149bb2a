import OAuth2

/// Who may end everything of a user, every app, browser and device (contract §16.2).
///
/// Not whatever an app was granted to know who the user is: the operator's own app may, and one that was granted just
/// this.
package struct EndingEverything: Sendable {
    /// How many apps one may have come by through exchanges, one after the other. Each is read, and beyond this the
    /// answer is no.
    package static let longestChain = 32

    private let clients: ClientDirectory
    private let webSession: @Sendable (SessionID) async throws -> WebSession?
    private let appSession: @Sendable (SessionID) async throws -> AppSession?

    /// - Parameters:
    ///   - webSession: finds a browser's session that is alive; no use of it.
    ///   - appSession: finds an app's session, ended or not.
    package init(
        clients: ClientDirectory, webSession: @escaping @Sendable (SessionID) async throws -> WebSession?,
        appSession: @escaping @Sendable (SessionID) async throws -> AppSession?
    ) {
        self.clients = clients
        self.webSession = webSession
        self.appSession = appSession
    }

    /// Why a token's bearer may not; `nil` where it may. A machine's own token names no user.
    /// - Throws: ``StorageError`` when it cannot be found out.
    package func refusal(of token: AccessTokenClaims) async throws -> RefusalReason? {
        guard let id = token.sessionID, let client = clients[token.clientID] else { return .clientWithoutRight }
        // The value of a cookie opens no more than the cookie itself.
        if let session = try await webSession(id) { return try await refusal(in: session) }
        guard let session = try await appSession(id) else { return .sessionEnded }
        // Nor does what a website was granted in a browser that came by a link.
        guard session.lineage.mayBeHandedOn else { return .chainedSession }
        if mayHaveScopeForIt(client), token.scope.contains(Scope.revokeAllSessions) { return nil }
        return try await isOfOwnApps(session) ? nil : .clientWithoutRight
    }

    /// Why a browser may not; `nil` where it may. What a link or a hand-off opened may be in another person's hands
    /// than the user's (contract §16). A web view is on the device of its app, and may what that app may.
    /// - Throws: ``StorageError`` when it cannot be found out.
    package func refusal(in session: WebSession) async throws -> RefusalReason? {
        if session.isOwnSignIn { return nil }
        guard session.opening == .tokenExchange, session.lineage.mayBeHandedOn,
            let app = try await exchangingApp(above: session.lineage)
        else { return .chainedSession }
        if let client = clients[app.clientID], mayHaveScopeForIt(client),
            session.lineage.scope?.contains(Scope.revokeAllSessions) == true
        {
            return nil
        }
        return try await isOfOwnApps(app) ? nil : .clientWithoutRight
    }

    /// Whether an app may still have the scope that it was granted: its document may have lost it since.
    private func mayHaveScopeForIt(_ client: Client) -> Bool {
        client.grantableScope.contains(Scope.revokeAllSessions)
    }

    /// Whether an app is the operator's own, and so is each that it came by through exchanges: nothing grows along an
    /// edge (contract §16).
    private func isOfOwnApps(_ session: AppSession) async throws -> Bool {
        var session = session
        for _ in 0..<Self.longestChain {
            guard clients[session.clientID]?.isFirstParty == true else { return false }
            guard session.opening == .tokenExchange else { return true }
            guard let above = try await exchangingApp(above: session.lineage) else { return false }
            session = above
        }
        return false
    }

    /// The session of the app whose device secret was exchanged: for the session itself, or for the web view in which
    /// it was granted.
    private func exchangingApp(above lineage: Lineage) async throws -> AppSession? {
        var lineage = lineage
        if case .granted(let id) = lineage.parent {
            guard let view = try await webSession(id) else { return nil }
            lineage = view.lineage
        }
        guard case .opened(let id) = lineage.parent else { return nil }
        return try await appSession(id)
    }
}
