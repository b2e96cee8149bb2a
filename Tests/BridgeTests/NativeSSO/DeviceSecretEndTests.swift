import OAuth2
import Testing

@testable import Bridge

/// What becomes of device secrets: their end, and what is said of them meanwhile.
@Suite struct DeviceSecretEndTests {
    private func revoke(_ secret: Secret<String>?, _ native: NativeProvider, as client: ClientID) async throws {
        try await native.revocation.revoke(
            try Provider.parameters([("token", secret?.expose() ?? ""), ("client_id", client.rawValue)]),
            basic: .absent,
            origin: origin())
    }

    private func secret(of tokens: TokenResponse) throws -> OpaqueSecret {
        try #require(tokens.deviceSecret.flatMap { OpaqueSecret($0.expose(), kind: .deviceSecret) })
    }

    private func introspect(_ secret: Secret<String>?, _ native: NativeProvider) async throws -> [String: JSONValue] {
        let answer = try await native.introspection.answer(
            try Provider.parameters([("token", secret?.expose() ?? "")]), basic: native.provider.basic,
            origin: origin())
        return try #require(JSONValue.parse(bytes: answer)?.object)
    }

    @Test func `RFC 7009: revoking a secret ends everything it spawned`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let cookies = try await native.exchange(
                first, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            #expect(
                try await refusal {
                    try await revoke(first.deviceSecret, native, as: app); return true
                }
                    == "invalid_grant other_client")
            try await revoke(first.deviceSecret, native, as: NativeProvider.music)
            for tokens in [first, second, cookies] { #expect(try await !native.isActive(tokens)) }
            #expect(try await native.records(.deviceSecretRevoked).map(\.reason) == ["signed_out"])
            // Unknown ones are none of the caller's news (§2.2).
            try await revoke(
                Secret(OpaqueSecret.make(.deviceSecret, random: .system).expose()), native, as: NativeProvider.music)
        }
    }

    @Test func `a secret that expired days ago still ends the app session that goes on below it`() async throws {
        try await withNativeProvider([.deviceSecretTTLDays: .number(1)]) { native in
            let tokens = try await native.signIn()
            native.clock.advance(.seconds(3 * 86_400))
            let purged = try await native.storage.purgeDeviceSecrets(
                expiredBefore: native.clock.now - .seconds(3600), limit: 500)
            #expect(purged == 0)
            try await revoke(tokens.deviceSecret, native, as: NativeProvider.photos)
            #expect(try await native.storage.appSession(id: native.session(of: tokens))?.endedAt == native.clock.now)
            let refused = try await refusal { try await native.refresh(tokens) }
            #expect(refused.hasPrefix("invalid_grant"))
        }
    }

    @Test func `attack: an app that a device is not shared with ends nothing, though it has Native SSO`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(NativeProvider.music)
            let refused = try await refusal {
                try await revoke(tokens.deviceSecret, native, as: NativeProvider.photos)
                return true
            }
            #expect(refused == "invalid_grant other_client")
            #expect(try await native.isActive(tokens))
        }
    }

    @Test func `a device ends although nobody can say what the token beside its secret is`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let form = [
                ("token", NativeProvider.foreignToken), ("device_secret", tokens.deviceSecret?.expose() ?? ""),
                ("client_id", NativeProvider.photos.rawValue),
            ]
            await #expect(throws: StorageError.self) {
                try await native.revocation.revoke(try Provider.parameters(form), basic: .absent, origin: origin())
            }
            #expect(try await !native.isActive(tokens))
        }
    }

    @Test func `RFC 7662: a live secret says whose it is, a dead one nothing`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(from: origin(userAgent: "Photos/3.1 CFNetwork/1490"))
            let members = try await introspect(tokens.deviceSecret, native)
            #expect(members["active"] == .bool(true))
            #expect(members["token_type"]?.string == "device_secret")
            #expect(members["sub"]?.string == "alice")
            #expect(members["client_id"]?.string == "photos")
            #expect(members["device_name"]?.string == "Photos/3.1")
            #expect(members["cnf"] == nil)
            try await revoke(tokens.deviceSecret, native, as: NativeProvider.photos)
            #expect(try await introspect(tokens.deviceSecret, native) == ["active": .bool(false)])
        }
    }

    @Test func `a secret whose sign-in is over is live as its device is, and names no session`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let session = try native.session(of: tokens)
            #expect(try await introspect(tokens.deviceSecret, native)["sid"]?.string == session.rawValue)
            try await native.service.endings.end(
                .appSession(session), Ending(at: native.clock.now, reason: .signedOut, origin: nil))
            let members = try await introspect(tokens.deviceSecret, native)
            #expect(members["active"] == .bool(true) && members["sid"] == nil)
        }
    }

    @Test func `RFC 9449: a secret of a bound sign-in needs its key`() async throws {
        try await withNativeProvider { native in
            let key = try ProofKey()
            let tokens = try await native.signIn(proof: try key.proof(id: "1", at: native.clock.now))
            #expect(
                try await introspect(tokens.deviceSecret, native)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
            #expect(try await refusal { try await native.exchange(tokens) } == "invalid_grant secret_wrong_key")
            let second = try await native.post(
                native.exchangeForm(tokens), proof: try key.proof(id: "2", at: native.clock.now))
            #expect(second.tokenType == "DPoP")
        }
    }

    @Test func `an administrator ends a device once`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let secret = try secret(of: tokens)
            let known = try #require(try await native.devices.live(secret, at: native.clock.now))
            func end(_ id: DeviceSecretID) async throws -> DeviceSecrets.Revocation {
                try await native.devices.revoke(
                    id,
                    by: AdminAction(
                        actor: .login("root"), reason: "lost phone", origin: origin(), at: native.clock.now))
            }
            #expect(try await end(known.device.id) == .done)
            #expect(try await end(known.device.id) == .doneBefore)
            #expect(try await end("unheard-of") == .unknown)
            let event = try #require(try await native.records(.deviceSecretRevoked).first)
            #expect(event.reason == "lost phone")
            #expect(event.detail?.contains("login:root") == true)
        }
    }

    @Test(arguments: [nil, ""] as [String?])
    func `of a device that an administrator ends without a word the log says who did`(words: String?) async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let known = try #require(try await native.devices.live(secret(of: tokens), at: native.clock.now))
            _ = try await native.devices.revoke(
                known.device.id,
                by: AdminAction(actor: .account("root"), reason: words, origin: origin(), at: native.clock.now))
            let event = try #require(try await native.records(.deviceSecretRevoked).first)
            #expect(event.reason == "revoked_by_administrator" && event.reasonForWebsites == "administrator")
        }
    }

    @Test func `the event of a device that a person ends says when that person signed in`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let known = try #require(try await native.devices.live(secret(of: tokens), at: native.clock.now))
            _ = try await native.devices.revoke(
                known.device.id,
                by: AdminAction(
                    actor: .account("root"), reason: "lost phone", origin: origin(), at: native.clock.now,
                    signedInAt: noon - .seconds(60)))
            let detail = try #require(try await native.records(.deviceSecretRevoked).first?.detail)
            let members = JSONValue.parse(Array(detail.utf8))?.object
            #expect(members?["signed_in_at"]?.string == (noon - .seconds(60)).rfc3339)
        }
    }

    @Test func `a device that its app ends is ended once`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let known = try #require(try await native.devices.live(secret(of: tokens), at: native.clock.now))
            func end(_ id: DeviceSecretID) async throws -> DeviceSecrets.Revocation {
                try await native.devices.revoke(id, reason: .signedOut, origin: origin(), at: native.clock.now)
            }
            #expect(try await end(known.device.id) == .done)
            #expect(try await end(known.device.id) == .doneBefore)
            #expect(try await end("unheard-of") == .unknown)
        }
    }
}
