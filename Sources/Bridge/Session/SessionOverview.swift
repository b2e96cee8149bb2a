/// A session as an administrator sees it: an app's or a browser's.
package struct SessionOverview: Hashable, Sendable {
    /// Whose session it is: an app's, or a browser's.
    package enum Kind: String, Sendable { case app, web }

    package let id: SessionID
    package let kind: Kind
    package let subject: Subject
    package let clientID: ClientID
    /// The app that a browser's session came from.
    package let appClientID: ClientID?
    package let parentID: SessionID?
    /// The device that an app's session belongs to.
    package let deviceSecretID: DeviceSecretID?
    package let opening: String
    package let loginTokenID: TokenID?
    package let authentication: Authentication
    package let createdAt: Timestamp
    /// `nil` for an app's, whose use is not noted.
    package let lastSeenAt: Timestamp?
    package let expiresAt: Timestamp
    package let idleExpiresAt: Timestamp?
    package let endedAt: Timestamp?

    package func isAlive(at now: Timestamp) -> Bool { endedAt == nil && now < idleExpiresAt ?? expiresAt }

    package init(_ session: WebSession) {
        id = session.id
        kind = .web
        subject = session.subject
        clientID = session.clientID
        appClientID = session.appClientID
        parentID = session.parentID
        deviceSecretID = nil
        opening = session.openingName
        loginTokenID = session.loginTokenID
        authentication = session.authentication
        createdAt = session.createdAt
        lastSeenAt = session.lastSeenAt
        expiresAt = session.expiresAt
        idleExpiresAt = session.idleExpiresAt
        endedAt = session.endedAt
    }

    package init(_ session: AppSession) {
        id = session.id
        kind = .app
        subject = session.subject
        clientID = session.clientID
        appClientID = nil
        parentID = session.parentID ?? session.browserSessionID
        deviceSecretID = session.deviceSecretID
        opening = session.opening.rawValue
        loginTokenID = nil
        authentication = session.authentication
        createdAt = session.createdAt
        lastSeenAt = nil
        expiresAt = session.expiresAt
        idleExpiresAt = nil
        endedAt = session.endedAt
    }
}
