@testable import DrawbridgeClient
import Foundation
import Testing

/// A store that tells when somebody comes to one of its locks.
private struct WatchedStore: SecretStore {
    let under: MemorySecretStore
    let watched: SecretItem
    let arrival: AsyncStream<Void>.Continuation

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { await under.read(item) }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        await under.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) { await under.remove(item) }

    func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock {
        if item == watched { arrival.yield() }
        return await under.lock(item)
    }
}

@Suite struct SilentSignInTests {
    private let device = Device()

    private func silent() async throws -> SilentSignIn { await (try device.app("app-b")).signInSilently() }

    @Test func `a second app signs in by what the first has left`() async throws {
        try await device.signIn(try device.app())
        let left = await device.shared()
        await device.provider.answer("/token", await device.tokens("app-b", access: "at_b", secret: nil))
        let second = try device.app("app-b")
        guard case .signedIn(let claims) = await second.signInSilently() else {
            Issue.record("not signed in")
            return
        }
        #expect(claims.subject == "alice")
        #expect(claims.audience == ["app-b"])
        #expect(try await second.accessToken().expose() == "at_b")
        let form = try #require(await device.provider.asked("/token").last).form
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(form["client_id"] == "app-b")
        #expect(form["audience"] == FakeProvider.issuer)
        #expect(form["subject_token"] == left.idToken)
        #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
        #expect(form["actor_token"] == "ds_1")
        #expect(form["actor_token_type"] == "urn:openid:params:token-type:device-secret")
        #expect(await device.shared() == left)
    }

    @Test func `a silent sign-in whose task is cancelled while its tokens come is kept`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens("app-b", access: "at_b", secret: nil))
        let second = try device.app("app-b")
        let outcome = try await device.cancelledWhileTokensCome { await second.signInSilently() }.get()
        guard case .signedIn = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await second.accessToken().expose() == "at_b")
    }

    @Test func `an app that was signed in is so after its next start, with the same claims`() async throws {
        let claims = try await device.signIn(try device.app())
        let again = try device.app()
        #expect(await again.signInSilently() == .signedIn(claims))
        #expect(await device.provider.asked("/token").count == 1)
    }

    @Test func `with nothing to share a person signs in, and nobody is asked`() async throws {
        #expect(try await silent() == .needsSignIn(.nothingShared))
        #expect(await device.provider.requests.isEmpty)
    }

    @Test func `parts that do not fit never leave the device`() async throws {
        try await device.signIn(try device.app())
        let item = SecretItem(
            service: Device.group.service, account: "device_secret", accessGroup: Device.group.accessGroup)
        await device.store.write(Redacted("ds_of_a_thief"), to: item)
        #expect(try await silent() == .needsSignIn(.partsDoNotFit))
        #expect(await device.provider.asked("/token").count == 1)
    }

    @Test func `a secret that has ended is forgotten`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", .refusal("invalid_grant"))
        let refusal = OAuthRefusal(code: "invalid_grant", explanation: "because", requestID: "r1")
        #expect(try await silent() == .needsSignIn(.refused(refusal)))
        #expect(await device.shared().secret == nil)
        #expect(await device.shared().idToken == nil)
    }

    @Test(arguments: ["access_denied", "interaction_required", "invalid_scope"])
    func `another refusal leaves the secret to the other apps`(_ code: String) async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", .refusal(code))
        guard case .needsSignIn(.refused(let refusal)) = try await silent() else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == code)
        #expect(await device.shared().secret == "ds_1")
    }

    @Test func `without a network it is a value, not an error`() async throws {
        try await device.signIn(try device.app())
        await device.provider.fail("/token", .unreachable("no network"))
        let outcome = try await silent()
        #expect(outcome == .needsSignIn(.failed(.unreachable("no network"))))
        #expect(await device.shared().secret == "ds_1")
    }

    @Test func `a busy provider is no end of the secret`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer(
            "/token",
            ClientAnswer(status: 429, headers: ["Retry-After": "900"], body: Array(#"{"error":"slow_down"}"#.utf8)))
        let outcome = try await silent()
        #expect(outcome == .needsSignIn(.failed(.comeBackLater(seconds: 900))))
        #expect(await device.shared().secret == "ds_1")
    }

    @Test(arguments: [
        (IDTokenFlaw.subject, "sub", "bob"), (.deviceSecretHash, "ds_hash", "another"), (.audience, "aud", "app-a"),
        (.issuer, "iss", "https://evil.example"),
    ])
    func `an answer that is not believed signs nobody in`(_ flaw: IDTokenFlaw, _ name: String, _ value: String)
        async throws
    {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens("app-b", secret: nil, claims: [name: value]))
        let second = try device.app("app-b")
        #expect(await second.signInSilently() == .needsSignIn(.notBelieved(flaw)))
        await #expect(throws: ClientError.notSignedIn) { try await second.accessToken() }
    }

    @Test func `a secret that was rotated takes the old one's place`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer(
            "/token", await device.tokens("app-b", secret: "ds_2", claims: ["ds_hash": SigningKey.hash("ds_2")]))
        _ = try await silent()
        let left = await device.shared()
        #expect(left.secret == "ds_2")
        #expect(DeviceSecretHash.fits(idToken: Redacted(left.idToken ?? ""), deviceSecret: Redacted("ds_2")))
    }

    @Test func `who comes while the secret is being replaced waits, and shows the new one`() async throws {
        try await device.signIn(try device.app())
        let new = ["ds_hash": SigningKey.hash("ds_2")]
        await device.provider.answer(
            "/token", await device.tokens(access: "at_2", refresh: "rt_2", secret: "ds_2", claims: new),
            await device.tokens("app-b", access: "at_b", secret: nil, claims: new))
        let (sent, signal) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        await device.provider.meanwhile("/token") {
            signal.yield()
            // Until the other waits, or is done: one that does not wait has then shown the old one.
            for await _ in arrivals { break }
        }
        let store = WatchedStore(under: device.store, watched: Device.group.renewalLock, arrival: arrival)
        let first = try device.app(at: Device.now.addingTimeInterval(290))
        let second = try device.app("app-b", keeping: store)
        let renewal = Task { try await first.accessToken() }
        for await _ in sent { break }
        let outcome = await second.signInSilently()
        arrival.finish()
        #expect(try await renewal.value.expose() == "at_2")
        guard case .signedIn = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(await device.provider.asked("/token").last?.form["actor_token"] == "ds_2")
        #expect(await device.shared().secret == "ds_2")
    }

    @Test func `of two apps that put in a new secret at once, one leaves both parts`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "drawbridge-shared-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var parts: [(secret: String, idToken: String)] = []
        for secret in ["ds_1", "ds_2"] {
            parts.append((secret, await device.idToken("app-a", ["ds_hash": SigningKey.hash(secret)])))
        }
        let apps = try ["app-a", "app-b"].map { try device.app($0, keeping: FileSecretStore(folder: folder)) }
        for turn in 0..<40 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (app, part) in zip(apps, parts) {
                    group.addTask { try await app.share(Redacted(part.secret), Redacted(part.idToken)) }
                }
                try await group.waitForAll()
            }
            let left = try #require(try await apps[0].sharedSignIn())
            #expect(DeviceSecretHash.fits(idToken: left.idToken, deviceSecret: left.deviceSecret), "\(turn)")
        }
    }
}
