import OAuth2
import Testing

@testable import Bridge

@Suite struct BackChannelLogoutTests {
    /// A website's session under a browser session that has just been signed out.
    private func signedOut(_ provider: Provider) async throws -> TokenResponse {
        let code = try await provider.code(
            try provider.grant(client: "rp", scope: ["openid"], browser: "browser"))
        let tokens = try await provider.redeem(code, client: nil, basic: provider.basic)
        try await provider.service.endings.end(
            .webSession("browser"), .signOut(origin: origin(), at: provider.service.clock.now))
        return tokens
    }

    @Test func `the website gets one logout token that names user and session`() async throws {
        try await withProvider { provider in
            let tokens = try await signedOut(provider)
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(try await provider.notifier.deliverDue() == 0)
            let token = try #require(provider.delivery.tokens.first)
            #expect(provider.delivery.tokens.count == 1)
            #expect(CompactJWS(token)?.type == "logout+jwt")
            let members = try claims(Secret(token))
            let identity = try claims(tokens.idToken)
            #expect(members["sub"] == identity["sub"])
            #expect(members["sid"] == identity["sid"])
            #expect(members["aud"]?.string == "rp")
            #expect(
                members["events"]
                    == .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])]))
            #expect(members["nonce"] == nil)
            #expect(try await provider.service.events().last == "logout_notice.sent")
        }
    }

    @Test func `an unreachable website is tried four times, a minute later the last`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            provider.delivery.willAnswer(.failed, .failed, .failed, .failed)
            for pause in [0, 1, 10, 60] {
                if pause > 0 {
                    provider.service.clock.advance(.seconds(pause) - .milliseconds(1))
                    #expect(try await provider.notifier.deliverDue() == 0)
                    provider.service.clock.advance(.milliseconds(1))
                }
                #expect(try await provider.notifier.deliverDue() == 1)
            }
            provider.service.clock.advance(.seconds(3600))
            #expect(try await provider.notifier.deliverDue() == 0)
            #expect(try await provider.service.events().last == "logout_notice.failed unreachable")
        }
    }

    @Test func `a website that refuses is not asked again`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            provider.delivery.willAnswer(.refused(status: 400))
            #expect(try await provider.notifier.deliverDue() == 1)
            provider.service.clock.advance(.seconds(3600))
            #expect(try await provider.notifier.deliverDue() == 0)
            #expect(try await provider.service.events().last == "logout_notice.failed status_400")
        }
    }

    @Test func `a website that is no longer told is settled without a word`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            let clients = provider.service.clients
            clients.replace(
                with: ClientDirectory(clients.current.all.filter { $0.id != "rp" }, defaultTarget: nil))
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(try await provider.notifier.deliverDue() == 0)
            #expect(provider.delivery.tokens.isEmpty)
            #expect(try await provider.service.events().last == "logout_notice.failed no_receiver")
        }
    }

    @Test func `a sign-out waits until its websites have heard`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            await provider.notifier.deliverSoon(within: .seconds(60))
            #expect(provider.delivery.tokens.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a website that does not answer holds a sign-out up no longer than its patience`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            let silent = SilentDelivery()
            let notifier = LogoutNotifier(
                store: provider.service.storage, clients: provider.service.clients, tokens: provider.idTokens,
                delivery: silent, time: provider.service.clock.source)
            await notifier.deliverSoon(within: .zero)
            silent.answer()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `whoever waits for a node that is never idle stops waiting when nobody waits for the answer any more`() async {
        let inFlight = NoticesInFlight()
        inFlight.begin("rp")
        let waiting = Task { await inFlight.becameIdle() }
        waiting.cancel()
        await waiting.value
        inFlight.end("rp")
        await inFlight.becameIdle()
    }

    @Test func `what waits is delivered by whoever comes after a crash`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            let now = provider.service.clock.now
            // Taken by a process that dies with it in hand.
            #expect(
                try await provider.service.storage.takeLogoutNotices(
                    dueAt: now, lease: LogoutNotifier.lease, limit: 10, sparing: []
                ).count == 1)
            #expect(try await provider.notifier.deliverDue() == 0)
            provider.service.clock.advance(LogoutNotifier.lease)
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(provider.delivery.tokens.count == 1)
        }
    }
}
