/// How many live devices a user may have, and what a further one does.
package struct DeviceSecretLimit: Hashable, Sendable {
    /// What gives way when a user signs in on one device too many.
    package enum Behavior: String, Sendable, CaseIterable {
        case revokeOldest = "revoke_oldest"
        case reject
    }

    package let count: Int
    package let behavior: Behavior
    /// Whether devices on which apps are signed in make room whosever they are, and not the asking client's own alone: what
    /// any app may do without the browser would let it end all others of its user (ADR-0017).
    package var reachesOtherClients = false

    package init(count: Int, behavior: Behavior) {
        self.count = count
        self.behavior = behavior
    }

    /// A live device of a user.
    package struct Place: Hashable, Sendable {
        package let id: DeviceSecretID
        /// The app's that was given its first secret.
        package let clientID: ClientID
        /// Whether an app is signed in there, other than the one that is about to leave.
        package let isSignedIn: Bool

        package init(id: DeviceSecretID, clientID: ClientID, isSignedIn: Bool) {
            self.id = id
            self.clientID = clientID
            self.isSignedIn = isSignedIn
        }
    }

    /// The devices that end for one more of a client; `nil` where that one has no room.
    /// - Parameter live: all of the user, in the order in which they make room.
    package func displaced(by client: ClientID, among live: [Place]) -> [DeviceSecretID]? {
        let excess = max(0, live.count - count + 1)
        let leaving = live.filter { place in
            guard place.isSignedIn else { return true }
            return behavior == .revokeOldest && (reachesOtherClients || place.clientID == client)
        }
        return leaving.count < excess ? nil : leaving.prefix(excess).map(\.id)
    }
}

/// How many living web sessions one device may have at one website by its secret, and how those beyond end.
package struct WebViewLimit: Sendable {
    /// The new one included.
    package let count: Int
    /// How those end that were used longest ago.
    package let displaced: Ending

    package init(count: Int, displaced: Ending) {
        self.count = count
        self.displaced = displaced
    }
}

/// What a device secret is used for.
package struct DeviceSecretUse: Sendable {
    /// What is opened with it.
    package enum Opening: Sendable {
        /// - Parameters:
        ///   - refreshDigest: the refresh cookie's, in the profile `tokens`.
        ///   - limit: `nil` lets the device have as many as it opens.
        case webSession(WebSession, refreshDigest: String?, limit: WebViewLimit? = nil)
        case appSession(AppSession, refreshToken: RefreshTokenRecord?)
    }

    package let at: Timestamp
    /// The app session that the use is about; must be alive and below the device.
    package let sessionID: SessionID
    package let opening: Opening
    package let events: [AuditEvent]

    package init(at: Timestamp, sessionID: SessionID, opening: Opening, events: [AuditEvent]) {
        self.at = at
        self.sessionID = sessionID
        self.opening = opening
        self.events = events
    }
}

/// Whether a device was given its first secret.
package enum DeviceSecretIssueOutcome: Hashable, Sendable {
    /// - Parameter ended: what ended with a displaced device.
    case issued(ended: Ended)
    /// The user has as many as allowed and none makes room for this client's, or only this very session's end would.
    case rejected
    /// The app session is over, or unknown; nothing was displaced.
    case sessionEnded
}

/// Whether a live device was given one more secret.
package enum DeviceSecretAddition: Hashable, Sendable {
    case added
    /// The device was revoked, or has expired.
    case deviceEnded
    /// The app session is over, or does not hang below the device.
    case sessionEnded
}

/// Whether a presented device secret is good (contract §5.4).
package enum DeviceSecretUseOutcome: Hashable, Sendable {
    /// - Parameter ended: what made room for a web session that was opened.
    case accepted(DeviceSecret, ended: Ended = .nothing)
    /// Never given out, revoked or expired.
    case refused(DeviceSecretRefusal)
    /// It had been rotated away: the device is revoked, and this ended with it.
    case replayed(ended: Ended)
}
