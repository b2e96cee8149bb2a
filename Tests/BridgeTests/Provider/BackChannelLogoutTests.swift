import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// A queue that cannot be read.
private struct UnreadableNotices: LogoutNoticeStore {
    func takeLogoutNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) throws -> [LogoutNotice] {
        throw StorageError.unavailable("away")
    }

    func changeLogoutSubscribers(adding added: Set<ClientID>, removing removed: Set<ClientID>) {}
    func postponeLogoutNotice(_ id: String, until next: Timestamp) {}
    func giveBackLogoutNotice(_ id: String, until next: Timestamp) {}
    func settleLogoutNotice(_ id: String, event: AuditEvent) {}
}

@Suite struct BackChannelLogoutTests {
    /// A website's session under a browser session that has just been signed out.
    private func signedOut(_ provider: Provider) async throws -> TokenResponse {
        try await provider.notifier.subscribe()
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

    @Test(arguments: [(nil, "unreachable"), (503, "status_503")] as [(Int?, String)])
    func `a website that takes nothing is tried four times, a minute later the last, and the log says how that went`(
        last: Int?, reason: String
    ) async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            provider.delivery.willAnswer(
                .failed(status: nil), .failed(status: 502), .failed(status: nil), .failed(status: last))
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
            #expect(try await provider.service.events().last == "logout_notice.failed \(reason)")
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

    @Test func `a website that no node knows for six hours is not told, and its queue ends`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            provider.service.clients.remove("rp")
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(try await provider.notifier.deliverDue() == 0)
            #expect(try await provider.service.events().last != "logout_notice.failed no_receiver")
            provider.service.clock.advance(LogoutNotifier.patience.limit)
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(provider.delivery.tokens.isEmpty)
            #expect(try await provider.service.events().last == "logout_notice.failed no_receiver")
            try await visit(provider, "later")
            #expect(try await provider.notifier.deliverDue() == 0, "nothing is queued for it any more")
        }
    }

    /// A node whose settings file is of before the website's address.
    private func oldNode(_ provider: Provider) -> LogoutNotifier {
        LogoutNotifier(
            store: provider.service.storage, clients: Reloadable(ClientDirectory([], defaultTarget: nil)),
            tokens: provider.idTokens, delivery: provider.delivery, time: provider.service.clock.source)
    }

    @Test func `a node with an older settings file takes no website out, and leaves its notices to the others`()
        async throws
    {
        try await withProvider { provider in
            try await provider.notifier.subscribe()
            let old = oldNode(provider)
            try await old.subscribe()
            try await visit(provider, "visit")
            #expect(try await old.deliverDue() == 1)
            #expect(provider.delivery.tokens.isEmpty)
            provider.service.clock.advance(.seconds(1))
            #expect(try await provider.notifier.deliverDue() == 1)
            #expect(provider.delivery.tokens.count == 1)
        }
    }

    /// A visitor's session at the website, with a cookie, which is signed out.
    private func visit(_ provider: Provider, _ id: SessionID) async throws {
        let now = provider.service.clock.now
        let session = WebSession(
            id: id, secretDigest: "digest of \(id)",
            lineage: .signIn(of: "alice", authentication: Authentication(), at: now, lifetime: .seconds(3600)),
            clientID: "rp", createdAt: now, idleLifetime: .seconds(600), lastSeenAt: now)
        _ = try await provider.service.storage.open(session, replacing: nil, events: [])
        try await provider.service.endings.end(.webSession(id), .signOut(origin: origin(), at: now))
    }

    @Test func `a website hears of the end of a visitor's session with a cookie`() async throws {
        try await withProvider { provider in
            try await provider.notifier.subscribe()
            try await visit(provider, "visit")
            #expect(try await provider.notifier.deliverDue() == 1)
            let members = try claims(Secret(try #require(provider.delivery.tokens.first)))
            #expect(members["sub"]?.string == "alice")
            #expect(members["sid"]?.string == "visit")
            #expect(members["aud"]?.string == "rp")
        }
    }

    @Test func `a website that was given its address after a sign-in hears of the end of that`() async throws {
        try await withProvider { provider in
            let clients = provider.service.clients
            let told = clients.current
            clients.change("rp") { $0.backchannelLogoutURI = nil }
            let code = try await provider.code(
                try provider.grant(client: "rp", scope: ["openid"], browser: "browser"))
            let tokens = try await provider.redeem(code, client: nil, basic: provider.basic)
            clients.replace(with: told)
            try await provider.notifier.subscribe()
            try await provider.service.endings.end(
                .webSession("browser"), .signOut(origin: origin(), at: provider.service.clock.now))
            #expect(try await provider.notifier.deliverDue() == 1)
            let members = try claims(Secret(try #require(provider.delivery.tokens.first)))
            let identity = try claims(tokens.idToken)
            #expect(members["sid"] == identity["sid"])
        }
    }

    @Test func `a sign-out waits until its websites have heard`() async throws {
        try await withProvider { provider in
            _ = try await signedOut(provider)
            await provider.notifier.deliverSoon(within: .seconds(60))
            #expect(provider.delivery.tokens.count == 1)
        }
    }

    @Test func `a sign-out that cannot read what is due says so in the log`() async throws {
        try await withProvider { provider in
            let told = LogLines()
            let notifier = LogoutNotifier(
                store: UnreadableNotices(), clients: provider.service.clients, tokens: provider.idTokens,
                delivery: provider.delivery, time: provider.service.clock.source, logger: told.logger)
            await notifier.deliverSoon(within: .seconds(60))
            #expect(told.all == ["warning: due logout notices were not read error=storage unavailable"])
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
            // What was begun goes on, though nobody waits for it any more.
            await silent.wasAsked()
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
