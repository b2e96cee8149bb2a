import OAuth2
import Testing

@testable import Bridge

@Suite struct DeviceGrantRFC8628Tests {
    @Test func `§3.4, §3.5: a device waits, is let in, and gets its tokens`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            #expect(try await refusal { try await world.poll(started) } == "authorization_pending pending")
            let browser = try await world.signIn()
            #expect(try await world.answer(started, in: browser) == "approved")
            let tokens = try await world.poll(started)
            #expect(tokens.scope == Scope("openid profile"))
            #expect(tokens.idToken != nil)
            let session = try #require(try await world.session(of: tokens))
            #expect(session.subject == "alice" && session.opening == .deviceCode)
            #expect(session.lineage.parent == .granted(in: browser.id))
            let told = try await world.provider.service.events()
            #expect(
                told.filter { $0.hasPrefix("device_code") || $0.hasPrefix("app_session") || $0.hasPrefix("token") }
                    == [
                        "device_code.issued", "device_code.approved", "device_code.redeemed", "app_session.opened",
                    ])
        }
    }

    @Test func `§3.5: polling too fast is slow_down with 400, and the interval grows for good`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            func poll(after seconds: Int64) async throws -> String {
                world.clock.advance(.seconds(seconds))
                return try await refusal { try await world.poll(started) }
            }
            #expect(try await poll(after: 0) == "authorization_pending pending")
            #expect(try await poll(after: 5) == "authorization_pending pending")
            #expect(try await poll(after: 4) == "slow_down too_soon")
            #expect(try await poll(after: 5) == "slow_down too_soon")
            #expect(try await poll(after: 14) == "slow_down too_soon")
            #expect(try await poll(after: 20) == "authorization_pending pending")
            #expect(ErrorCode.pollingTooFast.status == 400)
        }
    }

    @Test func `§3.5: a device that was let in gets its tokens at once, however soon it asks`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            _ = try await refusal { try await world.poll(started) }
            try await world.answer(started, in: try await world.signIn())
            #expect(try await refusal { try await world.poll(started) } == "accepted")
        }
    }

    @Test func `waiting leaves nothing in the audit log`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let before = try await world.provider.service.events()
            for _ in 1...5 { _ = try await refusal { try await world.poll(started) } }
            #expect(try await world.provider.service.events() == before)
        }
    }

    @Test func `§3.5: a user who declines is access_denied`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            #expect(try await world.answer(started, in: try await world.signIn(), agreed: false) == "denied")
            #expect(try await refusal { try await world.poll(started) } == "access_denied denied")
            #expect(try await world.provider.service.events().contains("device_code.denied"))
        }
    }

    @Test func `§3.5: a code that has run out is expired_token, let in or not`() async throws {
        try await withDevices { world in
            let waiting = try await world.start()
            let approved = try await world.start()
            try await world.answer(approved, in: try await world.signIn())
            world.clock.advance(.seconds(600))
            for started in [waiting, approved] {
                #expect(try await refusal { try await world.poll(started) } == "expired_token expired_device_code")
            }
            let late = try await world.find(waiting.userCode.shown, try await world.signIn())
            guard case .unknown = late else { Issue.record("\(late)"); return }
        }
    }

    @Test func `a code that its user has answered is told to that user as such, and to nobody else`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            let again = try await world.find(started.userCode.shown, try await world.signIn())
            guard case .letInBefore(let client) = again else { Issue.record("\(again)"); return }
            #expect(client.id == DeviceWorld.tv)
            let told = try await world.provider.service.events()
            #expect(!told.contains { $0.hasPrefix("device_code.refused") })
            let other = try await world.find(started.userCode.shown, try await world.signIn("bob"))
            guard case .unknown = other else { Issue.record("\(other)"); return }
            world.clock.advance(.seconds(600))
            let late = try await world.find(started.userCode.shown, try await world.signIn())
            guard case .unknown = late else { Issue.record("\(late)"); return }
        }
    }

    @Test func `a client without the grant starts nothing`() async throws {
        try await withDevices { world async throws in
            #expect(try await world.refusalOfStart("mute") == "unauthorized_client grant_type")
            #expect(try await world.refusalOfStart("nobody") == "invalid_client unknown_client")
        }
    }

    @Test(arguments: [
        ("openid profile address offline_access device_sso revoke_all_sessions admin", "openid profile"),
        ("openid", "openid"),
    ])
    func `what could be handed on, outlast or end other sessions is never granted`(
        _ asked: String, _ granted: String
    ) async throws {
        try await withDevices { world in
            let started = try await world.start(scope: asked)
            try await world.answer(started, in: try await world.signIn())
            #expect(try await world.poll(started).scope == Scope(granted))
        }
    }

    @Test func `a device of a client that may administer does not, and hears nobody's telephone number`() async throws {
        try await withDevices { world in
            world.provider.service.change(DeviceWorld.tv) { $0.scope = $0.scope.adding(Scope.admin) }
            let started = try await world.start(scope: "openid profile phone admin")
            try await world.answer(started, in: try await world.signIn())
            #expect(try await world.poll(started).scope == Scope("openid profile"))
        }
    }

    @Test func `a scope of which nothing is left, or that is malformed, is invalid_scope`() async throws {
        try await withDevices { world async throws in
            #expect(try await world.refusalOfStart(scope: "offline_access") == "invalid_scope scope")
            #expect(try await world.refusalOfStart(scope: "a  b") == "invalid_scope malformed_scope")
        }
    }

    @Test func `RFC 8707 §2: a resource that is not this issuer is invalid_target, and no code is made`() async throws {
        try await withDevices { world async throws in
            #expect(
                try await world.refusalOfStart(resource: "https://x.example/") == "invalid_target wrong_resource")
            let told = try await world.provider.service.events()
            #expect(told.last == "token_request.refused wrong_resource")
            #expect(!told.contains("device_code.issued"))
            #expect(try await world.refusalOfStart(resource: issuerName) == "accepted")
        }
    }

    @Test func `only a client of ours that may refresh keeps its device signed in`() async throws {
        try await withDevices { world in
            let browser = try await world.signIn()
            let strange = try await world.start()
            try await world.answer(strange, in: browser)
            let short = try await world.poll(strange)
            #expect(short.refreshToken == nil)
            #expect(try await world.session(of: short)?.expiresAt == world.clock.now + .seconds(900))
            let ours = try await world.start(DeviceWorld.trusted)
            try await world.answer(ours, in: browser)
            let long = try await world.poll(ours, as: DeviceWorld.trusted)
            #expect(long.refreshToken != nil)
            // Never longer than what let it in.
            #expect(try await world.session(of: long)?.expiresAt == browser.expiresAt)
        }
    }

    @Test func `a client that wants two factors is not let in with one`() async throws {
        try await withDevices { world in
            let started = try await world.start("strong-tv")
            let weak = try await world.find(started.userCode.shown, try await world.signIn())
            guard case .needsSecondFactor = weak else { Issue.record("\(weak)"); return }
            let strong = try await world.signIn(acr: "aal2")
            #expect(try await world.answer(started, in: strong) == "approved")
        }
    }

    @Test func `whoever asks from elsewhere is shown to be elsewhere`() async throws {
        try await withDevices { world in
            let browser = try await world.signIn()
            for (address, isNear) in [("203.0.113.99", true), ("198.51.100.1", false)] {
                let started = try await world.start(from: address)
                #expect(try await world.question(started, browser).isNear == isNear)
            }
        }
    }
}

/// What stands against those who would use it (RFC 8628 §5).
@Suite struct DeviceGrantAttackTests {
    @Test func `another client polls: it gets nothing and spoils nothing`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            for _ in 1...3 {
                #expect(
                    try await refusal { try await world.poll(started, as: DeviceWorld.trusted) }
                        == "invalid_grant other_client")
            }
            #expect(try await refusal { try await world.poll(started) } == "authorization_pending pending")
            try await world.answer(started, in: try await world.signIn())
            #expect(
                try await refusal { try await world.poll(started, as: DeviceWorld.trusted) }
                    == "invalid_grant other_client")
            #expect(try await refusal { try await world.poll(started) } == "accepted")
        }
    }

    @Test func `second redemption race: of many at once one gets tokens, and they stay good`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            let tokens = try await withThrowingTaskGroup(of: TokenResponse?.self) { group in
                for _ in 1...10 {
                    group.addTask {
                        do { return try await world.poll(started) } catch is OAuthError { return nil }
                    }
                }
                var tokens: [TokenResponse] = []
                for try await answer in group { if let answer { tokens.append(answer) } }
                return tokens
            }
            #expect(tokens.count == 1)
            let session = try await world.session(of: try #require(tokens.first))
            #expect(session?.endedAt == nil)
        }
    }

    @Test func `a code that is redeemed again later ends what it opened`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            let tokens = try await world.poll(started)
            world.clock.advance(.seconds(5))
            #expect(try await refusal { try await world.poll(started) } == "invalid_grant device_code_reused")
            #expect(try await world.session(of: tokens)?.endedAt == world.clock.now)
            #expect(try await world.provider.service.events().contains("device_code.reused device_code_reused"))
        }
    }

    @Test func `a code that is redeemed again when its time is over ends what it opened, too`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            let tokens = try await world.poll(started)
            world.clock.advance(DeviceAuthorizations.lifetime)
            #expect(try await refusal { try await world.poll(started) } == "invalid_grant device_code_reused")
            #expect(try await world.session(of: tokens)?.endedAt == world.clock.now)
        }
    }

    @Test func `brute force of user codes: five wrong ones close a user and a network, right codes too`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let alice = try await world.signIn()
            for _ in 1...5 {
                guard case .unknown = try await world.find("BBBB-BBBB", alice) else { Issue.record("found"); return }
            }
            #expect(try await world.provider.service.events().contains("device_code.refused unknown_user_code"))
            let bob = try await world.signIn("bob")
            for (session, address) in [(alice, "198.51.100.1"), (bob, "203.0.113.200")] {
                let found = try await world.find(started.userCode.shown, session, from: address)
                guard case .limited(let wait) = found else { Issue.record("\(found)"); return }
                #expect(wait == .seconds(900))
            }
            guard case .question = try await world.find(started.userCode.shown, bob, from: "192.0.2.1") else {
                Issue.record("somebody else elsewhere is held back")
                return
            }
        }
    }

    @Test func `brute force at once: a hundred guesses in one moment are as few as one after the other`() async throws {
        try await withDevices { world in
            let alice = try await world.signIn()
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 1...100 {
                    group.addTask {
                        if case .unknown = try await world.find("BBBB-BBBB", alice) { true } else { false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(found == 5)
        }
    }

    @Test func `right codes use up nobody's guesses`() async throws {
        try await withDevices { world in
            let alice = try await world.signIn()
            for _ in 1...8 { _ = try await world.question(try await world.start(), alice) }
        }
    }

    @Test
    func `device-code phishing: what the attacker's device gets issues nothing, renews nothing, outlives nothing`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start(scope: "openid profile offline_access device_sso")
            let victim = try await world.signIn()
            try await world.answer(started, in: victim)
            let tokens = try await world.poll(started)
            #expect(tokens.refreshToken == nil && tokens.deviceSecret == nil)
            let session = try #require(try await world.session(of: tokens))
            #expect(!session.lineage.mayBeHandedOn && !session.lineage.mayBeRenewed && !session.lineage.isOwnSignIn)
            #expect(session.expiresAt <= victim.expiresAt)
            _ = try await world.provider.service.endings.end(
                .webSession(victim.id), Ending(at: world.clock.now, reason: .signedOut, origin: origin()))
            #expect(try await world.session(of: tokens)?.endedAt == world.clock.now)
        }
    }

    @Test func `a handed-off session lets nobody in`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let own = try await world.signIn()
            let handedOff = WebSession(
                id: "handed-off", secretDigest: "h",
                lineage: .handedOver(
                    to: "alice", own.authentication, session: nil, issuedFrom: .foreign, at: world.clock.now,
                    lifetime: .seconds(3600)),
                clientID: website, createdAt: world.clock.now, idleLifetime: .seconds(600),
                lastSeenAt: world.clock.now)
            guard case .signInAgain = try await world.find(started.userCode.shown, handedOff) else {
                Issue.record("found")
                return
            }
            let sealed = try await world.question(started, own).sealed
            #expect(try await world.settle(sealed, in: handedOff) == "sign in")
            #expect(try await refusal { try await world.poll(started) } == "authorization_pending pending")
        }
    }

    @Test func `the page's answer is of one user in one browser, once`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let alice = try await world.signIn()
            let sealed = try await world.question(started, alice).sealed
            let other = OpaqueSecret.make(.formBinding, random: .system)
            #expect(try await world.settle(sealed, in: try await world.signIn("bob")) == "gone")
            #expect(try await world.settle(sealed, in: alice, browser: other) == "gone")
            #expect(try await world.settle(sealed + "A", in: alice) == "gone")
            #expect(try await world.settle(sealed, in: alice) == "approved")
            #expect(try await world.settle(sealed, agreed: false, in: alice) == "gone")
        }
    }

    @Test func `an answer that comes again is told what it was, by the session that gave it alone`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let alice = try await world.signIn()
            let sealed = try await world.question(started, alice).sealed
            #expect(try await world.settle(sealed, in: alice) == "approved")
            #expect(try await world.settle(sealed, in: alice) == "approved before")
            #expect(try await world.settle(sealed, agreed: false, in: alice) == "gone")
            let elsewhere = try await world.signIn()
            #expect(try await world.settle(sealed, in: elsewhere) == "gone")
            _ = try await world.poll(started)
            #expect(try await world.settle(sealed, in: alice) == "approved before")
            let told = try await world.provider.service.events()
            #expect(told.filter { $0 == "device_code.approved" }.count == 1)
        }
    }

    @Test func `a device that was sent away stays away, and the page says so again`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let alice = try await world.signIn()
            let sealed = try await world.question(started, alice).sealed
            #expect(try await world.settle(sealed, agreed: false, in: alice) == "denied")
            #expect(try await world.settle(sealed, agreed: false, in: alice) == "denied before")
            #expect(try await world.settle(sealed, in: alice) == "gone")
            #expect(try await refusal { try await world.poll(started) } == "access_denied denied")
        }
    }

    @Test func `what was approved ends with the session that approved, before it is redeemed too`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let browser = try await world.signIn()
            try await world.answer(started, in: browser)
            _ = try await world.provider.service.endings.end(
                .webSession(browser.id), Ending(at: world.clock.now, reason: .signedOut, origin: origin()))
            #expect(try await refusal { try await world.poll(started) } == "access_denied approval_ended")
        }
    }

    @Test func `a reader of the database learns neither code`() async throws {
        try await withDevices { world in
            let started = try await world.start()
            let secret = try #require(OpaqueSecret(started.deviceCode.expose(), kind: .deviceCode))
            let kept = try #require(try await world.storage.deviceAuthorization(digest: secret.digest)).authorization
            #expect(!kept.digest.contains(started.deviceCode.expose()))
            let plain = started.userCode.shown.replacing("-", with: "")
            #expect(!kept.userCode.contains(plain) && kept.userCode.count == 43)
        }
    }
}
