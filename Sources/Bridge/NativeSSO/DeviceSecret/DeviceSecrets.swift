import OAuth2

/// Gives apps their device secrets, and takes them back (contract §5.1, §5.2, §7).
package final class DeviceSecrets: Sendable {
    /// The secrets of one device that stay good side by side, besides its first.
    private static let keptSecrets = 4

    private let store: any DeviceStore
    private let configuration: NativeSSOConfiguration
    private let clients: Reloadable<ClientDirectory>
    private let endings: SessionEndings
    private let random: RandomSource

    package init(
        store: any DeviceStore, configuration: NativeSSOConfiguration, clients: Reloadable<ClientDirectory>,
        endings: SessionEndings, random: RandomSource = .system
    ) {
        self.store = store
        self.configuration = configuration
        self.clients = clients
        self.endings = endings
        self.random = random
    }

    /// The secret that goes with the tokens of a sign-in; `nil` when none is due.
    ///
    /// A good one that the app has is kept and told again; a bad one counts as absent (draft-07 §3.3). One that was
    /// replaced and is in its overlap is not told again, or its next use would be a replay: it gets a successor.
    package func provideAtSignIn(_ request: DeviceSecretRequest) async throws -> OpaqueSecret? {
        guard let settings = try await dueSettings(request) else { return nil }
        if let (secret, known) = try await presented(request), !isReplay(known, request, settings),
            try await store.attach(request.session.id, to: known.device.id, at: request.at)
        {
            guard case .replaced = known.place else { return secret }
            // Where there is no room for another device, what the app has would be a replay at its next use.
            if !isBound(known.device, as: request), let own = try await issue(request, settings, upon: .signIn) {
                return own
            }
            return try await rotate(
                secret, device: known.device, request, settings, upon: .signIn, rejected: rejection(request))
        }
        return try await issue(request, settings, upon: .signIn, rejected: rejection(request))
    }

    /// The secret that goes with refreshed tokens; `nil` when none is due.
    package func provideAtRefresh(_ request: DeviceSecretRequest) async throws -> OpaqueSecret? {
        guard let settings = try await dueSettings(request) else { return nil }
        let presented = try await presented(request)
        if let (secret, known) = presented, isReplay(known, request, settings) {
            // Not an absent one: the store finds it replaced, whenever that was, and ends the device.
            return try await rotate(secret, device: known.device, request, settings, upon: .refresh)
        }
        if let (secret, known) = presented,
            try await store.attach(request.session.id, to: known.device.id, at: request.at)
        {
            guard settings.rotatesSecrets else { return secret }
            if !isBound(known.device, as: request) {
                if let own = try await issue(request, settings, upon: .refresh) { return own }
                // Where there is no room for another device, what the app has stays good, unless it was replaced.
                if case .current = known.place { return secret }
            }
            return try await rotate(secret, device: known.device, request, settings, upon: .refresh)
        }
        // The app's own secret stays good: it may not expect a new one here.
        if let id = request.session.deviceSecretID, let device = try await store.deviceSecret(id: id),
            isShared(device, with: request), isBound(device, as: request)
        {
            let secret = OpaqueSecret.make(.deviceSecret, random: random)
            switch try await store.addDeviceSecret(
                digest: secret.digest, to: id, for: request.session.id, at: request.at, keeping: Self.keptSecrets,
                event: event(.deviceSecretIssued, request, id: id, reason: "refresh"))
            {
            case .added: return secret
            case .sessionEnded: throw Self.sessionEnded
            case .deviceEnded: break
            }
        }
        return try await issue(request, settings, upon: .refresh)
    }

    /// Between the refresh and now: signed out elsewhere, or by the replay of its old device's secret.
    private static var sessionEnded: OAuthError {
        OAuthError(.invalidGrant, "the session has ended; sign in again", detail: .sessionEnded)
    }

    /// The settings that a whole request is answered by, so that none changes or fails between two of its writes; `nil`
    /// when no secret is due.
    private func dueSettings(_ request: DeviceSecretRequest) async throws -> NativeSSOSettings? {
        guard request.client.isNativeSSOEnabled, request.session.scope.contains(Scope.deviceSSO),
            // No chains: what was handed over once is not handed on (contract §16.4).
            request.session.lineage.mayBeHandedOn
        else { return nil }
        let settings = try await configuration.current()
        return settings.isEnabled ? settings : nil
    }

    /// The presented secret with its device, when it is this user's and shared with this app; it may have been
    /// replaced.
    ///
    /// Any other app that got hold of it would replace it, or end the device with its own sign-out.
    private func presented(_ request: DeviceSecretRequest) async throws -> (OpaqueSecret, PresentedDeviceSecret)? {
        guard let secret = request.presented.flatMap({ OpaqueSecret($0.expose(), kind: .deviceSecret) }),
            let known = try await store.deviceSecret(digest: secret.digest),
            known.device.subject == request.session.subject, isShared(known.device, with: request),
            known.device.isAlive(at: request.at),
            SenderConstraint.permits(known.device.keyThumbprint, shown: request.proofKeyThumbprint)
        else { return nil }
        return (secret, known)
    }

    /// Whether the app may have secrets of a device (contract §5.1, §5.2).
    private func isShared(_ device: DeviceSecret, with request: DeviceSecretRequest) -> Bool {
        if request.client.mayHold(device, among: clients.current) { return true }
        // An exchange asked the `share_with` of the token's app, which need not be the device's first one.
        return request.session.opening == .tokenExchange && request.session.deviceSecretID == device.id
    }

    /// Whether a new secret of the device needs the request's key, where it shows one: all secrets of a device need one
    /// key, or none, so an app that has another by now gets a device of its own (docs/dpop.md).
    private func isBound(_ device: DeviceSecret, as request: DeviceSecretRequest) -> Bool {
        request.proofKeyThumbprint == nil || device.keyThumbprint == request.proofKeyThumbprint
    }

    private func isReplay(
        _ known: PresentedDeviceSecret, _ request: DeviceSecretRequest, _ settings: NativeSSOSettings
    ) -> Bool {
        known.isReplay(at: request.at, overlap: settings.overlap)
    }

    /// Whether the session may have a device of its own. What came by an exchange to an app of somebody else's, or
    /// through one, stays on the device that it came by: one sign-in would become as many devices as there are
    /// exchanges, without the user, until there is room for no other app's.
    private func mayHaveItsOwn(_ request: DeviceSecretRequest) -> Bool {
        guard request.session.opening == .tokenExchange else { return true }
        let directory = clients.current
        return request.client.isFirstParty
            && request.session.lineage.appsAbove.allSatisfy { directory[$0]?.isFirstParty == true }
    }

    /// - Parameter rejected: tells that the user has as many devices as allowed. At a sign-in alone: a session that
    ///   goes without a secret asks again with each refresh.
    private func issue(
        _ request: DeviceSecretRequest, _ settings: NativeSSOSettings, upon occasion: TokenOccasion,
        rejected: AuditEvent? = nil
    ) async throws -> OpaqueSecret? {
        guard mayHaveItsOwn(request) else { return nil }
        var limit = settings.limit
        // With a code from the browser, where the user is, also with one that was given without a question: by no
        // refresh.
        limit.reachesOtherClients = occasion == .signIn
        let secret = OpaqueSecret.make(.deviceSecret, random: random)
        let device = DeviceSecret(
            id: DeviceSecretID.make(at: request.at, random: random),
            subject: request.session.subject, clientID: request.client.id, sessionID: request.session.id,
            name: DeviceName.fromUserAgent(request.origin.userAgent), createdAt: request.at,
            expiresAt: request.at + settings.secretLifetime, keyThumbprint: request.proofKeyThumbprint)
        let outcome = try await store.issueDeviceSecret(
            device, digest: secret.digest, limit: limit,
            event: event(.deviceSecretIssued, request, id: device.id, reason: nil),
            displaced: Ending(at: request.at, reason: .limit, origin: request.origin), rejected: rejected)
        switch outcome {
        case .issued(let ended):
            await endings.take(in: ended)
            return secret
        case .rejected: return nil
        case .sessionEnded: throw Self.sessionEnded
        }
    }

    private func rotate(
        _ secret: OpaqueSecret, device: DeviceSecret, _ request: DeviceSecretRequest,
        _ settings: NativeSSOSettings, upon occasion: TokenOccasion, rejected: AuditEvent? = nil
    ) async throws -> OpaqueSecret? {
        let successor = OpaqueSecret.make(.deviceSecret, random: random)
        let outcome = try await store.rotateDeviceSecret(
            digest: secret.digest, to: successor.digest, at: request.at, overlap: settings.overlap,
            event: event(.deviceSecretRotated, request, id: device.id, reason: nil),
            replayed: Ending(at: request.at, reason: .replayed, origin: request.origin))
        switch outcome {
        case .accepted: return successor
        case .refused: return try await issue(request, settings, upon: occasion, rejected: rejected)
        case .replayed(let ended):
            await endings.take(in: ended)
            throw OAuthError(
                .invalidGrant, "the device secret was replaced before", detail: DeviceSecretRefusal.replayed.rawValue)
        }
    }

    private func rejection(_ request: DeviceSecretRequest) -> AuditEvent {
        AuditEvent(
            at: request.at, type: .deviceSecretWithheld, outcome: .failure,
            reason: RefusalReason.tooManyDevices.rawValue, subject: request.session.subject,
            clientID: request.client.id, sessionID: request.session.id, origin: request.origin)
    }

    private func event(
        _ type: AuditEventType, _ request: DeviceSecretRequest, id: DeviceSecretID, reason: String?
    ) -> AuditEvent {
        AuditEvent(
            at: request.at, type: type, outcome: .success, reason: reason, subject: request.session.subject,
            clientID: request.client.id, sessionID: request.session.id, origin: request.origin,
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
        _ request: DeviceSecretRequest, upon occasion: TokenOccasion
    ) async throws -> AttachedDeviceSecret? {
        switch occasion {
        case .signIn:
            // The specification wants the secret in this answer even when the app has it (draft-07 §3.3).
            return try await provideAtSignIn(request).map { AttachedDeviceSecret($0, isTold: true) }
        case .refresh:
            return try await provideAtRefresh(request).map { secret in
                let isKept = ConstantTime.equals((request.presented?.expose() ?? "").utf8, secret.expose().utf8)
                return AttachedDeviceSecret(secret, isTold: !isKept)
            }
        }
    }
}

extension DeviceSecrets {
    /// What `/oauth/revoke` does with a device secret: everything that it spawned ends (contract §5).
    package var revocation: TokenRevocation.OtherTokens {
        { token, client, origin, now in
            guard let secret = OpaqueSecret(token.expose(), kind: .deviceSecret) else { return false }
            guard let known = try await self.store.deviceSecret(digest: secret.digest) else { return true }
            guard client.mayHold(known.device, among: self.clients.current) else {
                throw TokenRevocation.notYours(TokenOwner(of: known.device))
            }
            _ = try await self.revoke(
                known.device.id, reason: .signedOut, by: EndingAsker(client.id), origin: origin, at: now)
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
                sessionID: known.firstSession(at: now), issuedAt: device.createdAt, expiresAt: device.expiresAt,
                proofKeyThumbprint: device.keyThumbprint)
            facts.members.add("device_secret_id", device.id.rawValue)
            facts.members.add("device_name", device.name)
            return facts
        }
    }
}

extension DeviceSecrets {
    /// Whether the device ended by this call.
    package enum Revocation: Hashable, Sendable { case done, doneBefore, unknown }

    /// Revokes a device, and everything it spawned (contract §7).
    /// - Parameter asker: who asked for it; `nil` where nobody did.
    package func revoke(
        _ id: DeviceSecretID, reason: EndReason, by asker: EndingAsker? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> Revocation {
        try await revoke(id, Ending(at: now, reason: reason, origin: origin, by: asker))
    }

    /// An administrator revokes a device.
    package func revoke(_ id: DeviceSecretID, by action: AdminAction) async throws -> Revocation {
        try await revoke(id, Ending(action, unsaid: .revokedByAdministrator))
    }

    private func revoke(_ id: DeviceSecretID, _ ending: Ending) async throws -> Revocation {
        let ended = try await endings.end(.device(id), ending)
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

extension Client {
    /// Whether a device is this client's, or shared with it (contract §5.1, §5.2, §5.6): then it may keep, renew and
    /// end its secrets. Another client may not, even if it got hold of one.
    package func mayHold(_ device: DeviceSecret, among clients: ClientDirectory) -> Bool {
        if id == device.clientID { return true }
        return isNativeSSOEnabled && clients[device.clientID]?.shareWith.contains(id) == true
    }
}
