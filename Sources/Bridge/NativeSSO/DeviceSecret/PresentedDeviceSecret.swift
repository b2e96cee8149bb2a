package import OAuth2

/// What a store knows of a presented secret.
package struct PresentedDeviceSecret: Hashable, Sendable {
    /// The secret's place among its device's secrets.
    package enum Place: Hashable, Sendable {
        case current
        /// A newer one was given out at this instant. Works once more within the overlap, for an app that did not get
        /// the answer; `isSpent` when it has done so.
        case replaced(at: Timestamp, isSpent: Bool)
    }

    /// An app session below the device that has not been ended, as far as an exchange looks at it.
    package struct Session: Hashable, Sendable {
        package let id: SessionID
        package let subject: Subject
        package let clientID: ClientID
        package let opening: SessionOpening
        package let scope: Scope
        package let expiresAt: Timestamp

        package init(
            id: SessionID, subject: Subject, clientID: ClientID, opening: SessionOpening, scope: Scope,
            expiresAt: Timestamp
        ) {
            self.id = id
            self.subject = subject
            self.clientID = clientID
            self.opening = opening
            self.scope = scope
            self.expiresAt = expiresAt
        }
    }

    package let device: DeviceSecret
    package let place: Place
    /// The app sessions below the device.
    package let sessions: [Session]

    package init(device: DeviceSecret, place: Place, sessions: [Session]) {
        self.device = device
        self.place = place
        self.sessions = sessions
    }

    package var sessionIDs: Set<SessionID> { Set(sessions.map(\.id)) }

    /// The session that the device's first secret was given in, while it lives: the device may go on without it.
    package func firstSession(at now: Timestamp) -> SessionID? {
        sessions.first { $0.id == device.sessionID && now < $0.expiresAt }?.id
    }

    /// What a user has granted an app on this very device, as long as the sign-in lasts that they granted it in.
    ///
    /// An impostor at the app's redirect URI (RFC 8252 §8.6) has no secret of this device, so its sign-in is below
    /// another one. A session that an exchange opened proves no consent, or one would prove the next for ever.
    package func scopes(grantedTo client: ClientID, by subject: Subject, at now: Timestamp) -> Set<String> {
        let signIns = sessions.filter {
            $0.clientID == client && $0.subject == subject && $0.opening == .authorize && now < $0.expiresAt
        }
        return Set(signIns.flatMap(\.scope.tokens))
    }

    /// Whether the secret is a rotated one that no honest app should still hold.
    package func isReplay(at now: Timestamp, overlap: Duration) -> Bool {
        guard case .replaced(let replacedAt, let isSpent) = place else { return false }
        return isSpent || now - replacedAt > overlap
    }
}

/// Why a device secret opens nothing: for audit and the table of checks.
package enum DeviceSecretRefusal: String, Hashable, Sendable, CaseIterable {
    /// Not of our form, or never given out.
    case unknown = "secret_unknown"
    case expired = "secret_expired"
    case revoked = "secret_revoked"
    /// A newer one was given out, and its overlap is over or spent.
    case replayed = "secret_replayed"
    /// It is bound to a key that was not shown.
    case wrongKey = "secret_wrong_key"
    /// The app session does not live, or does not hang below the device.
    case sessionEnded = "session_ended"
}

extension DeviceSecret {
    /// What is wrong with it at `now`; `nil` for nothing.
    package func flaw(at now: Timestamp) -> DeviceSecretRefusal? {
        if revokedAt != nil { return .revoked }
        return now < expiresAt ? nil : .expired
    }
}

extension OpaqueSecret {
    /// `ds_hash`: base64url of the left half of SHA-256 over the secret, as Native SSO SDKs verify it; built like
    /// `at_hash` (OpenID Connect Core §3.1.3.6).
    package var deviceSecretHash: String { SHA256Hash(of: expose()).base64URLOfHalf }
}
