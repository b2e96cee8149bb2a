/// How many live devices a user may have, and what a further one does.
package struct DeviceSecretLimit: Hashable, Sendable {
    /// What gives way when a user signs in on one device too many.
    package enum Behavior: String, Sendable, CaseIterable {
        case revokeOldest = "revoke_oldest"
        case reject
    }

    package let count: Int
    package let behavior: Behavior

    package init(count: Int, behavior: Behavior) {
        self.count = count
        self.behavior = behavior
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
    /// The user has as many as allowed, or room could be made only by ending this very session.
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
