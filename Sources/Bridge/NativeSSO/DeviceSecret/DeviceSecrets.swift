import OAuth2

/// Gives apps their device secrets, and takes them back (contract §5.1, §5.2, §7).
package final class DeviceSecrets: Sendable {
    /// The secrets of one device that stay good side by side, besides its first.
    private static let keptSecrets = 4

    private let store: any DeviceStore
    private let configuration: NativeSSOConfiguration
    private let endings: SessionEndings
    private let random: RandomSource

    package init(
        store: any DeviceStore, configuration: NativeSSOConfiguration, endings: SessionEndings,
        random: RandomSource = .system
    ) {
        self.store = store
        self.configuration = configuration
        self.endings = endings
        self.random = random
    }

    /// What an app is told about its device, besides its tokens.
    package struct Provision: Sendable {
        package let secret: OpaqueSecret
    }

    /// An app that gets tokens.
    package struct AttachRequest: Sendable {
        package let session: AppSession
        package let client: Client
        /// The `device_secret` parameter.
        package let presented: String?
        package let proofKeyThumbprint: String?
        package let origin: RequestOrigin
        package let at: Timestamp

        package init(
            session: AppSession, client: Client, presented: String?, proofKeyThumbprint: String? = nil,
            origin: RequestOrigin, at: Timestamp
        ) {
            self.session = session
            self.client = client
            self.presented = presented
            self.proofKeyThumbprint = proofKeyThumbprint
            self.origin = origin
            self.at = at
        }
    }

    /// The secret that goes with the tokens of a sign-in; `nil` when none is due.
    ///
    /// A good one that the app has is kept and told again; a bad one counts as absent (draft-07 §3.3). One that was
    /// replaced and is in its overlap is not told again, or its next use would be a replay: it gets a successor.
    package func provideAtSignIn(_ occasion: AttachRequest) async throws -> Provision? {
        guard try await isDue(occasion) else { return nil }
        if let (secret, known) = try await presented(occasion), try await !isReplay(known, occasion),
            try await store.attach(occasion.session.id, to: known.device.id, at: occasion.at)
        {
            guard case .replaced = known.place else { return Provision(secret: secret) }
            return try await rotate(secret, device: known.device, occasion, rejected: rejection(occasion))
        }
        return try await issue(occasion, rejected: rejection(occasion))
    }

    /// The secret that goes with refreshed tokens; `nil` when none is due.
    package func provideAtRefresh(_ occasion: AttachRequest) async throws -> Provision? {
        guard try await isDue(occasion) else { return nil }
        let presented = try await presented(occasion)
        if let (secret, known) = presented, try await isReplay(known, occasion) {
            // Not an absent one: the store finds it replaced, whenever that was, and ends the device.
            return try await rotate(secret, device: known.device, occasion)
        }
        if let (secret, known) = presented,
            try await store.attach(occasion.session.id, to: known.device.id, at: occasion.at)
        {
            guard try await configuration.current().rotatesSecrets else { return Provision(secret: secret) }
            return try await rotate(secret, device: known.device, occasion)
        }
        // The app's own secret stays good: it may not expect a new one here.
        if let id = occasion.session.deviceSecretID {
            let secret = OpaqueSecret.make(.deviceSecret, random: random)
            switch try await store.addDeviceSecret(
                digest: secret.digest, to: id, for: occasion.session.id, at: occasion.at, keeping: Self.keptSecrets,
                event: event(.deviceSecretIssued, occasion, id: id, reason: "refresh"))
            {
            case .added: return Provision(secret: secret)
            case .sessionEnded: throw Self.sessionEnded
            case .deviceEnded: break
            }
        }
        return try await issue(occasion)
    }

    /// Between the refresh and now: signed out elsewhere, or by the replay of its old device's secret.
    private static var sessionEnded: OAuthError {
        OAuthError(.invalidGrant, "the session has ended; sign in again", detail: .sessionEnded)
    }

    private func isDue(_ occasion: AttachRequest) async throws -> Bool {
        guard occasion.client.isNativeSSOEnabled, occasion.session.scope.contains(Scope.deviceSSO),
            // No chains: what was handed over once is not handed on (contract §16.4).
            occasion.session.lineage.mayBeHandedOn
        else {
            return false
        }
        return try await configuration.current().isEnabled
    }

    /// The presented secret with its device, when it is this user's; it may have been replaced.
    private func presented(_ occasion: AttachRequest) async throws -> (OpaqueSecret, PresentedDeviceSecret)? {
        guard let secret = occasion.presented.flatMap({ OpaqueSecret($0, kind: .deviceSecret) }),
            let known = try await store.deviceSecret(digest: secret.digest),
            known.device.subject == occasion.session.subject, known.device.isAlive(at: occasion.at),
            SenderConstraint.permits(known.device.keyThumbprint, shown: occasion.proofKeyThumbprint)
        else { return nil }
        return (secret, known)
    }

    private func isReplay(_ known: PresentedDeviceSecret, _ occasion: AttachRequest) async throws -> Bool {
        known.isReplay(at: occasion.at, overlap: try await configuration.current().overlap)
    }

    /// - Parameter rejected: tells that the user has as many devices as allowed. At a sign-in alone: a session that goes
    ///   without a secret asks again with each refresh.
    private func issue(_ occasion: AttachRequest, rejected: AuditEvent? = nil) async throws -> Provision? {
        let settings = try await configuration.current()
        let secret = OpaqueSecret.make(.deviceSecret, random: random)
        let device = DeviceSecret(
            id: DeviceSecretID(rawValue: SessionID.make(at: occasion.at, random: random).rawValue),
            subject: occasion.session.subject, clientID: occasion.client.id, sessionID: occasion.session.id,
            name: DeviceName.fromUserAgent(occasion.origin.userAgent), createdAt: occasion.at,
            expiresAt: occasion.at + settings.secretLifetime, keyThumbprint: occasion.proofKeyThumbprint)
        let outcome = try await store.issueDeviceSecret(
            device, digest: secret.digest, limit: settings.limit,
            event: event(.deviceSecretIssued, occasion, id: device.id, reason: nil),
            displaced: Ending(at: occasion.at, reason: "limit", origin: occasion.origin), rejected: rejected)
        switch outcome {
        case .issued(let ended):
            await endings.take(in: ended)
            return Provision(secret: secret)
        case .rejected: return nil
        case .sessionEnded: throw Self.sessionEnded
        }
    }

    private func rotate(
        _ secret: OpaqueSecret, device: DeviceSecret, _ occasion: AttachRequest, rejected: AuditEvent? = nil
    ) async throws -> Provision? {
        let successor = OpaqueSecret.make(.deviceSecret, random: random)
        let outcome = try await store.rotateDeviceSecret(
            digest: secret.digest, to: successor.digest, at: occasion.at,
            overlap: try await configuration.current().overlap,
            event: event(.deviceSecretRotated, occasion, id: device.id, reason: nil),
            replayed: Ending(at: occasion.at, reason: "replayed", origin: occasion.origin))
        switch outcome {
        case .accepted: return Provision(secret: successor)
        case .refused: return try await issue(occasion, rejected: rejected)
        case .replayed(let ended):
            await endings.take(in: ended)
            throw OAuthError(
                .invalidGrant, "the device secret was replaced before", detail: DeviceSecretRefusal.replayed.rawValue)
        }
    }

    private func rejection(_ occasion: AttachRequest) -> AuditEvent {
        AuditEvent(
            at: occasion.at, type: .deviceSecretWithheld, outcome: .failure,
            reason: RefusalReason.tooManyDevices.rawValue, subject: occasion.session.subject,
            clientID: occasion.client.id, sessionID: occasion.session.id, origin: occasion.origin)
    }

    private func event(
        _ type: AuditEventType, _ occasion: AttachRequest, id: DeviceSecretID, reason: String?
    ) -> AuditEvent {
        AuditEvent(
            at: occasion.at, type: type, outcome: .success, reason: reason, subject: occasion.session.subject,
            clientID: occasion.client.id, sessionID: occasion.session.id, origin: occasion.origin,
            detail: Self.detail(id))
    }

    static func detail(_ id: DeviceSecretID) -> String {
        var object = JSONObjectWriter()
        object.add(AuditDetail.deviceSecretID, id.rawValue)
        return object.finishedText()
    }
}

extension DeviceSecrets: DeviceSecretAttaching {
    package func attach(
        to session: AppSession, upon occasion: TokenOccasion, client: Client, presented: Secret<String>?,
        proofKeyThumbprint: String?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> AttachedDeviceSecret? {
        let request = AttachRequest(
            session: session, client: client, presented: presented?.expose(),
            proofKeyThumbprint: proofKeyThumbprint, origin: origin, at: now)
        switch occasion {
        case .signIn:
            // The specification wants the secret in this answer even when the app has it (draft-07 §3.3).
            return try await provideAtSignIn(request).map { AttachedDeviceSecret($0.secret, isTold: true) }
        case .refresh:
            return try await provideAtRefresh(request).map { provision in
                let isKept = ConstantTime.equals((request.presented ?? "").utf8, provision.secret.expose().utf8)
                return AttachedDeviceSecret(provision.secret, isTold: !isKept)
            }
        }
    }
}

extension DeviceSecrets {
    /// What `/oauth/revoke` does with a device secret: everything that it spawned ends (contract §5).
    package func revocation(among clients: Reloadable<ClientDirectory>) -> TokenRevocation.OtherTokens {
        { token, client, origin, now in
            guard let secret = OpaqueSecret(token.expose(), kind: .deviceSecret) else { return false }
            guard let known = try await self.store.deviceSecret(digest: secret.digest) else { return true }
            // Those that may exchange it may end it; another client may not even if it got hold of it.
            let owner = known.device.clientID
            let isShared =
                client.isNativeSSOEnabled && clients.current[owner]?.shareWith.contains(client.id) == true
            guard client.id == owner || isShared else { throw TokenRevocation.notYours }
            _ = try await self.revoke(known.device.id, reason: "signed_out", by: nil, origin: origin, at: now)
            return true
        }
    }

    /// What `/oauth/introspect` says of a device secret.
    package func introspection(issuer: String) -> TokenIntrospection.OtherTokens {
        { token, _, now in
            guard let secret = OpaqueSecret(token.expose(), kind: .deviceSecret),
                let known = try await self.live(secret, at: now)
            else { return nil }
            let device = known.device
            var facts = IntrospectedToken(
                type: "device_secret", clientID: device.clientID, issuer: issuer, subject: device.subject,
                sessionID: device.sessionID, issuedAt: device.createdAt, expiresAt: device.expiresAt,
                proofKeyThumbprint: device.keyThumbprint)
            facts.members.add("device_secret_id", device.id.rawValue)
            facts.members.add("device_name", device.name)
            return facts
        }
    }
}

extension DeviceSecrets {
    /// Revokes the device of a secret, and everything it spawned (contract §7).
    /// - Returns: whether there was a live one; the caller tells nobody (RFC 7009 §2.2).
    @discardableResult
    package func revoke(_ secret: OpaqueSecret, reason: String, origin: RequestOrigin, at now: Timestamp) async throws
        -> Bool
    {
        guard let known = try await store.deviceSecret(digest: secret.digest) else { return false }
        return try await revoke(known.device.id, reason: reason, by: nil, origin: origin, at: now) == .done
    }

    /// Whether the device ended by this call.
    package enum Revocation: Hashable, Sendable { case done, doneBefore, unknown }

    /// Revokes a device by its id.
    /// - Parameters:
    ///   - administrator: who does it, for the audit log.
    ///   - signedInAt: when that person signed in, for the audit log.
    package func revoke(
        _ id: DeviceSecretID, reason: String, by administrator: AdminActor?, signedInAt: Timestamp? = nil,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> Revocation {
        let ended = try await endings.end(
            .device(id),
            Ending(at: now, reason: reason, origin: origin, actor: administrator, signedInAt: signedInAt))
        if ended.devices.contains(id) { return .done }
        return try await store.deviceSecret(id: id) == nil ? .unknown : .doneBefore
    }

    /// What a secret is, for introspection (RFC 7662); `nil` unless it is good now.
    package func live(_ secret: OpaqueSecret, at now: Timestamp) async throws -> PresentedDeviceSecret? {
        guard let known = try await store.deviceSecret(digest: secret.digest), known.device.isAlive(at: now),
            !known.isReplay(at: now, overlap: try await configuration.current().overlap)
        else { return nil }
        return known
    }
}
