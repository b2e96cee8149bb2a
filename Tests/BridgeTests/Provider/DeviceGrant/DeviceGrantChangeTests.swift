import OAuth2
import Testing

@testable import Bridge

/// What a client may do, asked again when a device's user answers; and how many devices it starts (RFC 8628 §5).
@Suite struct DeviceGrantChangeTests {
    @Test func `a client that comes to want two factors while its user is asked is not let in with one`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let session = try await world.signIn()
            let question = try await world.question(started, session)
            world.provider.service.change(DeviceWorld.tv) {
                $0.minimumACR = AuthenticationLevel.twoFactors.rawValue
            }
            let outcome = try await world.settle(question.sealed, in: session)
            #expect(outcome == "sign in")
            #expect(try await refusal { try await world.poll(started) } == "authorization_pending pending")
        }
    }

    @Test func `a client that comes to want two factors after its user has answered is not let in with one`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            world.provider.service.change(DeviceWorld.tv) {
                $0.minimumACR = AuthenticationLevel.twoFactors.rawValue
            }
            let outcome = try await refusal { try await world.poll(started) }
            #expect(outcome == "access_denied authentication_too_weak")
        }
    }

    @Test func `§16.1: a device keeps the strength that it was let in with when its user's session is raised`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start()
            let session = try await world.signIn()
            try await world.answer(started, in: session)
            try await world.provider.raise(session.id)
            let told = try claims(try await world.poll(started).accessToken)
            #expect(told["acr"]?.string == "aal1")
            #expect(told["amr"] == JSONValue.array([.string("pwd")]))
        }
    }

    @Test func `a user who ends everything else ends an approval that the device has not fetched yet`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let session = try await world.signIn()
            try await world.answer(started, in: session)
            let places = SignedInPlaces(
                devices: world.storage, apps: world.storage, webs: world.storage, audit: world.storage,
                endings: world.provider.service.endings,
                gate: LimitGate(UnlimitedRateLimiter(), refusals: world.provider.refusals), time: world.clock.source)
            try await places.endOthers(than: session, origin: origin())
            let outcome = try await refusal { try await world.poll(started) }
            #expect(outcome == "access_denied approval_ended")
        }
    }

    @Test func `what a client may have no more when its user answers is not granted`() async throws {
        try await withDevices { world in
            let started = try await world.start(DeviceWorld.trusted, scope: "openid profile address phone")
            let session = try await world.signIn()
            let question = try await world.question(started, session)
            #expect(question.scope == Scope("openid profile address phone"))
            world.provider.service.change(DeviceWorld.trusted) { $0.isFirstParty = false }
            let outcome = try await world.settle(question.sealed, in: session)
            #expect(outcome == "approved")
            // No more than was granted, whatever the client is when it fetches it.
            world.provider.service.change(DeviceWorld.trusted) { $0.isFirstParty = true }
            let tokens = try await world.poll(started, as: DeviceWorld.trusted)
            #expect(tokens.scope == Scope("openid profile"))
        }
    }

    @Test func `what the page did not show is not granted, though the client may have it when its user answers`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start(DeviceWorld.trusted, scope: "openid profile address phone")
            let session = try await world.signIn()
            world.provider.service.change(DeviceWorld.trusted) { $0.isFirstParty = false }
            let question = try await world.question(started, session)
            #expect(question.scope == Scope("openid profile"))
            world.provider.service.change(DeviceWorld.trusted) { $0.isFirstParty = true }
            let outcome = try await world.settle(question.sealed, in: session)
            #expect(outcome == "approved")
            let tokens = try await world.poll(started, as: DeviceWorld.trusted)
            #expect(tokens.scope == Scope("openid profile"))
        }
    }

    @Test func `a device is sent away although its client has lost all scopes`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let session = try await world.signIn()
            world.provider.service.change(DeviceWorld.tv) { $0.scope = .empty }
            let outcome = try await world.answer(started, in: session, agreed: false)
            #expect(outcome == "denied")
            #expect(try await refusal { try await world.poll(started) } == "access_denied denied")
        }
    }

    @Test func `an answer on a page of the version before counts, which did not say what it showed`() async throws {
        try await withDevices { world in
            let session = try await world.signIn()
            let seal = ShortLivedSeal(
                keys: world.provider.service.keys, purpose: .deviceApproval, time: world.clock.source)
            for (agreed, expected) in [(false, "denied"), (true, "approved")] {
                let started = try await world.start()
                let code = try #require(OpaqueSecret(started.deviceCode.expose(), kind: .deviceCode))
                let page = #"{"device":"\#(code.digest)","sub":"\#(session.subject.rawValue)"}"#
                let sealed = try seal.seal(
                    Array(page.utf8), binding: world.browser.digest, lifetime: FormTokens.lifetime)
                let outcome = try await world.settle(sealed, agreed: agreed, in: session)
                #expect(outcome == expected)
            }
        }
    }

    @Test func `what a client has lost when its device fetches what its user granted is not given`() async throws {
        try await withDevices { world in
            let started = try await world.start(scope: "openid profile")
            try await world.answer(started, in: try await world.signIn())
            world.provider.service.change(DeviceWorld.tv) { $0.scope = Scope(tokens: ["email"]) }
            let nothing = try await refusal { try await world.poll(started) }
            #expect(nothing == "invalid_scope scope_taken_away")
            world.provider.service.change(DeviceWorld.tv) { $0.scope = Scope(tokens: [Scope.openID]) }
            let tokens = try await world.poll(started)
            #expect(tokens.scope == Scope("openid"))
        }
    }

    @Test func `RFC 9449 §11.1: a device's proof is used up when it fetches its tokens, not while its user is asked`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start()
            let proof = try ProofKey().proof(id: "1", at: noon)
            let early = try await refusal { try await world.poll(started, proof: proof) }
            #expect(early == "authorization_pending pending")
            try await world.answer(started, in: try await world.signIn())
            let tokens = try await world.poll(started, proof: proof)
            #expect(tokens.tokenType == "DPoP")
            world.clock.advance(DeviceCodeGrant.crossing + .seconds(1))
            let again = try await refusal { try await world.poll(started, proof: proof) }
            #expect(again == "invalid_dpop_proof proof_replayed")
            let session = try await world.session(of: tokens)
            #expect(session?.isAlive(at: world.clock.now) == true)
        }
    }

    @Test func `contract §12: a public client starts thirty devices a minute in one network`() async throws {
        try await withDevices { world in
            for _ in 0..<30 { _ = try await world.start() }
            let next = try await refusal { try await world.start(from: "203.0.113.200") }
            #expect(next == "rate_limited device_authorization.network")
            let elsewhere = try await refusal { try await world.start(from: "198.51.100.1") }
            #expect(elsewhere == "accepted")
            world.clock.advance(.seconds(2))
            let later = try await refusal { try await world.start() }
            #expect(later == "accepted")
        }
    }

    @Test func `contract §12: a client that authenticates starts so many devices, from wherever`() async throws {
        try await withProvider { provider in
            var limits = LimitSettings()
            limits.deviceAuthorizationPerClient = TokenBucket(perMinute: 2)
            limits.deviceAuthorizationPerNetwork = TokenBucket(perMinute: 1)
            let world = try DeviceWorld(provider, limits: limits)
            provider.service.change("rp") { $0.grantTypes.insert(.deviceCode) }
            func start(from address: String) async throws -> String {
                try await refusal {
                    try await world.authorizations.start(
                        try Provider.parameters([("scope", "openid")]), basic: provider.basic,
                        origin: origin(address), issuer: issuerName)
                }
            }
            for _ in 0..<2 {
                let started = try await start(from: "203.0.113.7")
                #expect(started == "accepted")
            }
            let next = try await start(from: "198.51.100.7")
            #expect(next == "rate_limited device_authorization.client")
        }
    }
}
