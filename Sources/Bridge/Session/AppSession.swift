package import OAuth2

/// An app's session: what one sign-in or exchange opened. Its id is the `sid` of its tokens.
///
/// Refresh tokens, web sessions and login tokens hang under it and end with it (contract §7).
package struct AppSession: Hashable, Sendable {
    /// How long it lasts at most, used or not, unless the settings say otherwise.
    package static let defaultLifetime = Duration.seconds(90 * 86_400)

    package let id: SessionID
    package let lineage: Lineage
    package let clientID: ClientID
    /// The browser's session that it goes on under: the one that it was granted in, or the one that took its place in
    /// that browser.
    package let browserSessionID: SessionID?
    /// The device secret that it came from or that was issued with it.
    package let deviceSecretID: DeviceSecretID?
    package let requestedClaims: RequestedClaims
    /// Whether its client had somewhere to be told of its end when it began, for nodes of before step 46, which go by
    /// it. What counts here is where the client is told when the session ends.
    package let wantsLogoutNotice: Bool
    package let createdAt: Timestamp
    package let endedAt: Timestamp?

    package init(
        id: SessionID, lineage: Lineage, clientID: ClientID, browserSessionID: SessionID? = nil,
        deviceSecretID: DeviceSecretID? = nil, requestedClaims: RequestedClaims = .none,
        wantsLogoutNotice: Bool = false, createdAt: Timestamp, endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.lineage = lineage
        self.clientID = clientID
        self.browserSessionID = browserSessionID
        self.deviceSecretID = deviceSecretID
        self.requestedClaims = requestedClaims
        self.wantsLogoutNotice = wantsLogoutNotice
        self.createdAt = createdAt
        self.endedAt = endedAt
    }

    package var subject: Subject { lineage.subject }
    /// What was granted; tokens hold this or less.
    package var scope: Scope { lineage.scope ?? .empty }
    package var opening: SessionOpening { lineage.opening }
    package var authentication: Authentication { lineage.authentication }
    package var expiresAt: Timestamp { lineage.expiresAt }

    /// The app session that it was opened from; it ends with that one.
    package var parentID: SessionID? { if case .opened(let id) = lineage.parent { id } else { nil } }

    /// Whether it outlives the browser's sign-in (OpenID Connect Core §11).
    package var isOffline: Bool { scope.contains(Scope.offlineAccess) }

    /// Whether it goes on when the browser in which it was granted is signed out: granted for that, in a sign-in of the
    /// user's own.
    package var outlivesBrowser: Bool { isOffline && opening == .authorize }

    package func isAlive(at now: Timestamp) -> Bool { endedAt == nil && now < expiresAt }
}

extension AppSession {
    /// This session, hung under another of the browser's.
    package func going(onUnder browser: SessionID) -> AppSession {
        AppSession(
            id: id, lineage: lineage, clientID: clientID, browserSessionID: browser, deviceSecretID: deviceSecretID,
            requestedClaims: requestedClaims, wantsLogoutNotice: wantsLogoutNotice, createdAt: createdAt,
            endedAt: endedAt)
    }
}
