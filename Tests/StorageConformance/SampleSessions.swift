package import Bridge
package import OAuth2

// Sessions as a store might hold them, whatever the rules would have let come to be.
extension WebSession {
    package init(
        id: SessionID, secretDigest: String, subject: Subject, clientID: ClientID, appClientID: ClientID?,
        parentID: SessionID?, loginTokenID: TokenID?, opening: SessionOpening, ancestry: Set<SessionOpening> = [],
        appsAbove: Set<ClientID> = [], scope: Scope? = nil, authentication: Authentication, createdAt: Timestamp,
        expiresAt: Timestamp, idleLifetime: Duration, lastSeenAt: Timestamp, endedAt: Timestamp? = nil
    ) {
        self.init(
            id: id, secretDigest: secretDigest,
            lineage: Lineage(
                stored: subject, opening: opening, ancestry: ancestry, appsAbove: appsAbove,
                parent: parentID.map { .opened(by: $0) } ?? .none, scope: scope, authentication: authentication,
                expiresAt: expiresAt),
            clientID: clientID, appClientID: appClientID, loginTokenID: loginTokenID, createdAt: createdAt,
            idleLifetime: idleLifetime, lastSeenAt: lastSeenAt, endedAt: endedAt)
    }
}

extension AppSession {
    package init(
        id: SessionID, subject: Subject, clientID: ClientID, scope: Scope, opening: SessionOpening,
        ancestry: Set<SessionOpening> = [], appsAbove: Set<ClientID> = [], authentication: Authentication,
        browserSessionID: SessionID? = nil, deviceSecretID: DeviceSecretID? = nil, parentID: SessionID? = nil,
        requestedClaims: RequestedClaims = .none, wantsLogoutNotice: Bool = false, createdAt: Timestamp,
        expiresAt: Timestamp, endedAt: Timestamp? = nil
    ) {
        let parent: Lineage.Parent =
            parentID.map { .opened(by: $0) } ?? browserSessionID.map { .granted(in: $0) } ?? .none
        self.init(
            id: id,
            lineage: Lineage(
                stored: subject, opening: opening, ancestry: ancestry, appsAbove: appsAbove, parent: parent,
                scope: scope, authentication: authentication, expiresAt: expiresAt),
            clientID: clientID, browserSessionID: browserSessionID, deviceSecretID: deviceSecretID,
            requestedClaims: requestedClaims, wantsLogoutNotice: wantsLogoutNotice, createdAt: createdAt,
            endedAt: endedAt)
    }
}

extension Ending {
    /// An end for no particular reason.
    package static func sample(
        _ reason: EndReason = .administrator, at: Timestamp = Timestamp(milliseconds: 1_763_708_400_123),
        extent: Extent = .everything
    ) -> Ending {
        Ending(at: at, reason: reason, origin: nil, extent: extent)
    }
}

extension ReplacedSession {
    /// A session of alice's that another takes the place of.
    package static func sample(
        _ session: WebSession, by subject: Subject = "alice", isRaised: Bool = false, isSameSignIn: Bool = false,
        at: Timestamp = Timestamp(milliseconds: 1_763_708_400_123)
    ) -> ReplacedSession {
        ReplacedSession(
            session, by: subject, isRaised: isRaised, isSameSignIn: isSameSignIn,
            origin: RequestOrigin(address: nil, userAgent: nil, requestID: "r"), at: at)
    }
}
