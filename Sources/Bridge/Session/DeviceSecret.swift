/// A device that some apps share, known by the secret it holds (OpenID Connect Native SSO for Mobile Apps).
///
/// It keeps its id when its secret is rotated: id and all its secrets, the old ones too, are one family.
package struct DeviceSecret: Hashable, Sendable {
    package let id: DeviceSecretID
    package let subject: Subject
    /// The app that it was given to.
    package let clientID: ClientID
    /// The app session it was given in; those that joined later hang below the device too.
    package let sessionID: SessionID
    /// What the device is called, from the `User-Agent`; `nil` when that does not say.
    package let name: String?
    /// Such as `iOS`; nothing sets it now, older rows may have it.
    package let platform: String?
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp?
    package let useCount: Int
    package let expiresAt: Timestamp
    /// RFC 7638 thumbprint of the DPoP key that must come along; `nil` when it is not bound.
    package let keyThumbprint: String?
    package let revokedAt: Timestamp?
    package let revokeReason: String?

    package init(
        id: DeviceSecretID, subject: Subject, clientID: ClientID, sessionID: SessionID, name: String? = nil,
        platform: String? = nil, createdAt: Timestamp, lastUsedAt: Timestamp? = nil, useCount: Int = 0,
        expiresAt: Timestamp, keyThumbprint: String? = nil, revokedAt: Timestamp? = nil, revokeReason: String? = nil
    ) {
        self.id = id
        self.subject = subject
        self.clientID = clientID
        self.sessionID = sessionID
        self.name = name
        self.platform = platform
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.useCount = useCount
        self.expiresAt = expiresAt
        self.keyThumbprint = keyThumbprint
        self.revokedAt = revokedAt
        self.revokeReason = revokeReason
    }

    /// Whether its secret opens anything at `now`.
    package func isAlive(at now: Timestamp) -> Bool { revokedAt == nil && now < expiresAt }
}

extension DeviceSecretID {
    /// A new id, as ``SessionID/make(at:random:)`` makes one.
    static func make(at now: Timestamp, random: RandomSource) -> DeviceSecretID {
        DeviceSecretID(rawValue: random.text(16, after: now))
    }
}
