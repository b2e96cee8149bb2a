/// What happened, as `noun.verb` (contract §13). Names are added, never changed.
package struct AuditEventType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let loginTokenIssued = Self(rawValue: "login_token.issued")
    package static let loginTokenRedeemed = Self(rawValue: "login_token.redeemed")
    package static let loginTokenReplayed = Self(rawValue: "login_token.replayed")
    package static let loginTokenRefused = Self(rawValue: "login_token.refused")
    package static let loginTokenRevoked = Self(rawValue: "login_token.revoked")
    package static let redirectRefused = Self(rawValue: "redirect.refused")
    package static let webSessionOpened = Self(rawValue: "web_session.opened")
    package static let webSessionEnded = Self(rawValue: "web_session.ended")
    package static let webSessionSwitched = Self(rawValue: "web_session.switched")
    package static let bearerRefused = Self(rawValue: "bearer.refused")
    package static let userDisabled = Self(rawValue: "user.disabled")
    package static let userEnabled = Self(rawValue: "user.enabled")
    package static let clientCreated = Self(rawValue: "client.created")
    package static let clientChanged = Self(rawValue: "client.changed")
    package static let clientDeleted = Self(rawValue: "client.deleted")
    package static let keyRotated = Self(rawValue: "key.rotated")
    package static let rateLimitExceeded = Self(rawValue: "rate_limit.exceeded")
    package static let nodeStarted = Self(rawValue: "node.started")
    package static let nodeStopped = Self(rawValue: "node.stopped")
}
