package import OAuth2

/// An app's session: what one sign-in or exchange opened. Its id is the `sid` of its tokens.
///
/// Refresh tokens, web sessions and login tokens hang under it and end with it (contract §7).
package struct AppSession: Hashable, Sendable {
    /// How it came to be.
    package enum Opening: String, Sendable, CaseIterable {
        case authorize
        case tokenExchange = "token_exchange"
        case deviceCode = "device_code"
        case selfIssued = "self_issued"
    }

    /// What nobody uses for 90 days is gone (RFC 9700 §4.14.2).
    package static let lifetime = Duration.seconds(90 * 86_400)

    package let id: SessionID
    package let subject: Subject
    package let clientID: ClientID
    /// What was granted; tokens hold this or less.
    package let scope: Scope
    package let opening: Opening
    package let authentication: Authentication
    /// The browser's session at this provider under which the user agreed.
    package let browserSessionID: SessionID?
    /// The device secret that it came from or that was issued with it.
    package let deviceSecretID: DeviceSecretID?
    /// The app session that it was opened from; it ends with that one.
    package let parentID: SessionID?
    package let requestedClaims: RequestedClaims
    /// Whether its client wants to hear of its end (OpenID Connect Back-Channel Logout).
    package let wantsLogoutNotice: Bool
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let endedAt: Timestamp?

    package init(
        id: SessionID, subject: Subject, clientID: ClientID, scope: Scope, opening: Opening,
        authentication: Authentication, browserSessionID: SessionID? = nil, deviceSecretID: DeviceSecretID? = nil,
        parentID: SessionID? = nil, requestedClaims: RequestedClaims = .none, wantsLogoutNotice: Bool = false,
        createdAt: Timestamp, expiresAt: Timestamp, endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.subject = subject
        self.clientID = clientID
        self.scope = scope
        self.opening = opening
        self.authentication = authentication
        self.browserSessionID = browserSessionID
        self.deviceSecretID = deviceSecretID
        self.parentID = parentID
        self.requestedClaims = requestedClaims
        self.wantsLogoutNotice = wantsLogoutNotice
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.endedAt = endedAt
    }

    /// Whether it outlives the browser's sign-in (OpenID Connect Core §11).
    package var isOffline: Bool { scope.contains(Scope.offlineAccess) }

    package func isAlive(at now: Timestamp) -> Bool { endedAt == nil && now < expiresAt }
}
