import OAuth2
import Testing

@testable import Bridge

@Suite struct DeviceSecretTests {
    private func secret(of tokens: TokenResponse) throws -> OpaqueSecret {
        try #require(tokens.deviceSecret.flatMap { OpaqueSecret($0.expose(), kind: .deviceSecret) })
    }

    @Test func `contract §5.1: a sign-in with device_sso gives a secret, and an ID token that fits it`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let secret = try secret(of: tokens)
            let identity = try claims(tokens.idToken)
            #expect(identity["ds_hash"]?.string == secret.deviceSecretHash)
            #expect(try identity["sid"] == claims(tokens.accessToken)["sid"])
            #expect(try await native.records(.deviceSecretIssued).map(\.subject) == ["alice"])
        }
    }

    @Test func `no secret is given without the scope, to other clients, or while the setting is off`() async throws {
        try await withNativeProvider { native async throws in
            #expect(try await native.signIn(scope: ["openid"]).deviceSecret == nil)
            #expect(try await native.signIn(app).deviceSecret == nil)
        }
        try await withNativeProvider([.enabled: .flag(false)]) { native async throws in
            #expect(try await native.signIn().deviceSecret == nil)
        }
    }

    @Test func `draft-07 §3.3: a good secret that the app sends is kept and told again`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let again = try await native.signIn(
                NativeProvider.music, deviceSecret: first.deviceSecret.map { $0.expose() })
            #expect(again.deviceSecret?.expose() == first.deviceSecret?.expose())
            #expect(try await native.records(.deviceSecretIssued).count == 1)
        }
    }

    @Test func `draft-07 §3.3: a bad secret counts as absent`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            for bad in ["nonsense", OpaqueSecret.make(.deviceSecret, random: .system).expose()] {
                #expect(try await native.signIn(deviceSecret: bad).deviceSecret != nil)
            }
            let bobs = try await native.signIn(
                deviceSecret: first.deviceSecret.map { $0.expose() }, subject: "bob")
            #expect(bobs.deviceSecret?.expose() != first.deviceSecret?.expose())
        }
    }

    @Test(arguments: [false, true])
    func `attack: an app that a device is not shared with neither keeps, replaces nor ends it`(
        rotates: Bool
    ) async throws {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(rotates)]) { native in
            // Music shares with nobody.
            let shown = try await native.signIn(NativeProvider.music)
            let device = try #require(try await devices(native).first)
            let signedIn = try await native.signIn(deviceSecret: shown.deviceSecret?.expose())
            native.clock.advance(.seconds(60))
            let renewed = try await native.refresh(signedIn, deviceSecret: shown.deviceSecret)
            for tokens in [signedIn, renewed] {
                #expect(try secret(of: tokens).digest != secret(of: shown).digest)
                #expect(try claims(tokens.idToken)["ds_hash"]?.string == secret(of: tokens).deviceSecretHash)
            }
            let session = try #require(try await native.storage.appSession(id: native.session(of: renewed)))
            let own = try #require(session.deviceSecretID)
            #expect(own != device.id)
            #expect(try await Set(devices(native).map(\.id)) == [own, device.id])
            #expect(try await native.records(.deviceSecretRotated).isEmpty)
            // What a sign-out of the app ends.
            _ = try await native.devices.revoke(own, reason: .signedOut, origin: origin(), at: native.clock.now)
            #expect(try await native.isActive(shown))
            #expect(try await native.isActive(native.exchange(shown)))
        }
    }

    @Test func `contract §5.2: an app that a device is no longer shared with goes on with its own`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let device = try #require(try await devices(native).first)
            let joined = try await native.signIn(
                NativeProvider.music, deviceSecret: first.deviceSecret?.expose())
            share([NativeProvider.photos: []], native)
            native.clock.advance(.seconds(60))
            let renewed = try await native.refresh(joined, NativeProvider.music)
            let session = try #require(try await native.storage.appSession(id: native.session(of: renewed)))
            #expect(session.deviceSecretID != nil && session.deviceSecretID != device.id)
            #expect(try await native.isActive(native.exchange(renewed)))
        }
    }

    @Test func `contract §5.2: an app that an exchange signed in keeps the secret of any app above`() async throws {
        try await withNativeProvider { native in
            share([NativeProvider.photos: [NativeProvider.music], NativeProvider.music: ["guest"]], native)
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let third = try await native.exchange(second, to: "guest", secret: first.deviceSecret)
            native.clock.advance(.seconds(60))
            let renewed = try await native.refresh(third, "guest", deviceSecret: first.deviceSecret)
            #expect(renewed.deviceSecret == nil)
            #expect(try claims(renewed.idToken)["ds_hash"]?.string == secret(of: first).deviceSecretHash)
            #expect(try await devices(native).count == 1)
        }
    }

    @Test(arguments: [false, true])
    func `RFC 9449 §5: an app that has a key by now gets no further secret that needs none`(rotates: Bool) async throws
    {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(rotates)]) { native in
            let tokens = try await native.signIn()
            let request = try await refreshing(tokens, native, isShown: rotates)
            let given = try #require(try await native.devices.provideAtRefresh(request))
            let known = try #require(try await native.storage.deviceSecret(digest: given.digest))
            #expect(known.device.keyThumbprint == "jkt")
            #expect(known.device.id != request.session.deviceSecretID)
            // The device that came without a key goes on as it is.
            #expect(try await native.isActive(tokens))
            #expect(try await native.records(.deviceSecretRotated).isEmpty)
        }
    }

    @Test func `RFC 9449 §5: an app that has another key by now gets no further secret that needs the old one`()
        async throws
    {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(proof: try ProofKey().proof(id: "1", at: native.clock.now))
            let request = try await refreshing(tokens, native)
            let given = try #require(try await native.devices.provideAtRefresh(request))
            let known = try #require(try await native.storage.deviceSecret(digest: given.digest))
            #expect(known.device.keyThumbprint == "jkt")
            #expect(known.device.id != request.session.deviceSecretID)
        }
    }

    @Test func `RFC 9449 §5: at a sign-in too a replaced secret gets no successor that needs no key`() async throws {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
            let key = try ProofKey()
            let first = try await native.signIn()
            native.clock.advance(.seconds(60))
            _ = try await native.refresh(first, deviceSecret: first.deviceSecret)
            let again = try await native.signIn(
                deviceSecret: first.deviceSecret?.expose(), proof: try key.proof(id: "1", at: native.clock.now))
            let known = try #require(try await native.storage.deviceSecret(digest: secret(of: again).digest))
            #expect(known.device.keyThumbprint == key.thumbprint)
            #expect(try await native.records(.deviceSecretRotated).count == 1)
        }
    }

    @Test(arguments: ["revoke_oldest", "reject"], [true, false])
    func `contract §7: an app that has a key by now takes no second place among the user's devices`(
        behavior: String, isShown: Bool
    ) async throws {
        try await withNativeProvider([
            .rotateDeviceSecrets: .flag(true), .maxDeviceSecretsPerUser: .number(2),
            .maxSecretsBehavior: .word(behavior),
        ]) { native in
            let other = try await native.signIn()
            native.clock.advance(.seconds(60))
            let tokens = try await native.signIn()
            let request = try await refreshing(tokens, native, isShown: isShown)
            let given = try #require(try await native.devices.provideAtRefresh(request))
            let known = try #require(try await native.storage.deviceSecret(digest: given.digest))
            #expect(known.device.keyThumbprint == "jkt")
            #expect(try await native.isActive(tokens))
            #expect(try await native.isActive(native.exchange(other)))
            let left = try #require(request.session.deviceSecretID)
            #expect(try await devices(native).filter { $0.revokedAt != nil }.map(\.id) == [left])
        }
    }

    @Test func `contract §7: at a limit that rejects, an app that shares its device keeps the secret that it has`()
        async throws
    {
        try await withNativeProvider([
            .rotateDeviceSecrets: .flag(true), .maxDeviceSecretsPerUser: .number(1),
            .maxSecretsBehavior: .word("reject"),
        ]) { native in
            let tokens = try await native.signIn()
            let joined = try await native.signIn(NativeProvider.music, deviceSecret: tokens.deviceSecret?.expose())
            let request = try await refreshing(tokens, native, isShown: true)
            let given = try await native.devices.provideAtRefresh(request)
            #expect(try given?.digest == secret(of: tokens).digest)
            #expect(try await native.isActive(joined))
        }
    }

    @Test func `contract §7: at a limit that rejects, an app keeps no secret that was replaced`() async throws {
        try await withNativeProvider([
            .rotateDeviceSecrets: .flag(true), .maxDeviceSecretsPerUser: .number(1),
            .maxSecretsBehavior: .word("reject"),
        ]) { native in
            let tokens = try await native.signIn()
            _ = try await native.signIn(NativeProvider.music, deviceSecret: tokens.deviceSecret?.expose())
            _ = try await native.refresh(tokens, deviceSecret: tokens.deviceSecret)
            let request = try await refreshing(tokens, native, isShown: true)
            let given = try #require(try await native.devices.provideAtRefresh(request))
            #expect(try given.digest != secret(of: tokens).digest)
            let known = try await native.storage.deviceSecret(digest: given.digest)
            #expect(known?.place == .current)
        }
    }

    /// What a refresh with another key asks for than the app has used before.
    private func refreshing(
        _ tokens: TokenResponse, _ native: NativeProvider, isShown: Bool = false
    ) async throws -> DeviceSecretRequest {
        DeviceSecretRequest(
            session: try #require(try await native.storage.appSession(id: native.session(of: tokens))),
            client: try #require(native.service.clients.current[NativeProvider.photos]),
            presented: isShown ? tokens.deviceSecret : nil, proofKeyThumbprint: "jkt", origin: origin(),
            at: native.clock.now)
    }

    /// Newest first, ended ones too.
    private func devices(_ native: NativeProvider) async throws -> [DeviceSecret] {
        try await native.storage.deviceSecrets(of: "alice", includingEnded: true, at: native.clock.now)
    }

    /// Has apps share with these alone, and asks nobody for consent.
    private func share(_ shares: [ClientID: Set<ClientID>], _ native: NativeProvider) {
        let directory = native.service.clients.current
        let changed = directory.all.map { client in
            var client = client
            client.shareWith = shares[client.id] ?? client.shareWith
            client.isFirstParty = true
            return client
        }
        native.service.clients.replace(
            with: ClientDirectory(changed, defaultTarget: directory.defaultTarget))
    }

    @Test func `RFC 9449: a bound secret that comes without its key, or with another, counts as absent`() async throws {
        try await withNativeProvider { native in
            let (key, other) = (try ProofKey(), try ProofKey())
            func shown(_ key: ProofKey, _ id: String) throws -> PresentedProof {
                try key.proof(id: id, at: native.clock.now)
            }
            let first = try await native.signIn(proof: try shown(key, "1"))
            let secret = try #require(first.deviceSecret).expose()
            for proof in [PresentedProof.none, try shown(other, "2")] {
                let another = try await native.signIn(deviceSecret: secret, proof: proof)
                #expect(another.deviceSecret != nil && another.deviceSecret?.expose() != secret)
            }
            let kept = try await native.signIn(deviceSecret: secret, proof: try shown(key, "3"))
            #expect(kept.deviceSecret?.expose() == secret)
        }
    }

    @Test func `contract §5.2: a refresh with the secret keeps it, one without gives another beside it`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            native.clock.advance(.seconds(60))
            let kept = try await native.refresh(first, deviceSecret: first.deviceSecret)
            #expect(kept.deviceSecret == nil)
            #expect(try claims(kept.idToken)["ds_hash"] == claims(first.idToken)["ds_hash"])
            native.clock.advance(.seconds(60))
            let second = try await native.refresh(kept)
            #expect(second.deviceSecret != nil)
            #expect(second.deviceSecret?.expose() != first.deviceSecret?.expose())
            // Both are of the one device.
            #expect(try await native.isActive(native.exchange(second)))
            #expect(try await native.isActive(native.exchange(kept, secret: first.deviceSecret)))
            #expect(
                try await native.storage.deviceSecrets(of: "alice", includingEnded: true, at: native.clock.now).count
                    == 1)
        }
    }

    @Test func `contract §5.2: a refresh in the same instant as the sign-in keeps the secret too`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            #expect(try await native.refresh(first, deviceSecret: first.deviceSecret).deviceSecret == nil)
        }
    }

    @Test func `an app that signed in before Native SSO was switched on gets its secret at the next refresh`()
        async throws
    {
        try await withNativeProvider([.enabled: .flag(false)]) { native in
            let first = try await native.signIn()
            try await native.configuration.change(
                [.enabled: .flag(true)],
                by: AdminAction(actor: .login("root"), origin: origin(), at: native.clock.now))
            native.clock.advance(.seconds(60))
            #expect(try await native.refresh(first).deviceSecret != nil)
        }
    }

    @Test func `with rotation a refresh replaces the secret, and the old one works once more within the overlap`()
        async throws
    {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
            let first = try await native.signIn()
            native.clock.advance(.seconds(60))
            let second = try await native.refresh(first, deviceSecret: first.deviceSecret)
            #expect(second.deviceSecret?.expose() != first.deviceSecret?.expose())
            #expect(try await native.records(.deviceSecretRotated).count == 1)
            // The app that did not get the answer.
            #expect(try await native.isActive(native.exchange(first)))
            #expect(try await native.isActive(native.exchange(second)))
        }
    }

    /// Of the sixth find in docs/proof.md: the secret that came with such a refresh was given out beside the others, and
    /// the one that was shown stayed good as if it had not been.
    @Test(arguments: [true, false])
    func `contract §16.6: a session that ended while it was refreshed gets no device secret`(
        isShown: Bool
    ) async throws {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
            let first = try await native.signIn()
            let id = try #require(try claims(first.accessToken)["sid"]?.string)
            let session = try #require(try await native.storage.appSession(id: SessionID(rawValue: id)))
            native.clock.advance(.seconds(60))
            try await native.service.endings.end(
                .appSession(session.id), Ending(at: native.clock.now, reason: .signedOut, origin: origin()))
            let client = try #require(native.service.clients.current[session.clientID])
            let found = try await refusal {
                try await native.devices.provideAtRefresh(
                    .init(
                        session: session, client: client, presented: isShown ? first.deviceSecret : nil,
                        proofKeyThumbprint: nil, origin: origin(), at: native.clock.now))
            }
            #expect(found == "invalid_grant session_ended")
            #expect(try await native.records(.deviceSecretIssued).count == 1)
            #expect(try await native.records(.deviceSecretRotated).isEmpty)
        }
    }

    @Test func `a secret that was replaced long ago ends its device, at a refresh and at an exchange`() async throws {
        for isExchange in [false, true] {
            try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
                let first = try await native.signIn()
                native.clock.advance(.seconds(60))
                let second = try await native.refresh(first, deviceSecret: first.deviceSecret)
                native.clock.advance(.seconds(60))
                let found = try await refusal {
                    isExchange
                        ? try await native.exchange(first)
                        : try await native.refresh(second, deviceSecret: first.deviceSecret)
                }
                #expect(found == "invalid_grant secret_replayed")
                #expect(try await native.records(.deviceSecretRevoked).map(\.reason) == ["replayed"])
                #expect(try await !native.isActive(second))
            }
        }
    }

    /// An app whose answer to a rotation was lost, and that has its user sign in again: what it is told is what it keeps.
    @Test func `a sign-in does not tell an app again what another secret has replaced`() async throws {
        try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
            let first = try await native.signIn()
            native.clock.advance(.seconds(60))
            _ = try await native.refresh(first, deviceSecret: first.deviceSecret)
            let again = try await native.signIn(deviceSecret: first.deviceSecret?.expose())
            native.clock.advance(.seconds(60))
            #expect(try await native.isActive(native.exchange(again)))
            #expect(try await native.records(.deviceSecretRevoked).isEmpty)
        }
    }

    @Test func `contract §7: the limit of devices ends the oldest`() async throws {
        try await withNativeProvider([.maxDeviceSecretsPerUser: .number(1)]) { native in
            let first = try await native.signIn()
            native.clock.advance(.seconds(60))
            let second = try await native.signIn()
            #expect(try await !native.isActive(first))
            #expect(try await native.isActive(second))
            #expect(try await native.records(.deviceSecretRevoked).map(\.reason) == ["limit"])
        }
    }

    @Test func `contract §7: at a limit that rejects, the sign-in goes on without a secret`() async throws {
        try await withNativeProvider([
            .maxDeviceSecretsPerUser: .number(1), .maxSecretsBehavior: .word("reject"),
        ]) { native in
            let first = try await native.signIn()
            let second = try await native.signIn()
            #expect(second.deviceSecret == nil)
            #expect(try await native.isActive(first))
            #expect(try await native.isActive(second))
        }
    }
}
