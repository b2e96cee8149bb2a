import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A phone's approval that leads its browser on to a website elsewhere, and what is tried against it (ADR-0077).
@Suite struct PhoneHandOffTests {
    private static let elsewhere: ClientID = "elsewhere"
    private static let nonce = HandOffState(String(repeating: "n", count: 22))

    /// - Parameters:
    ///   - isReached: whether the app may open the website.
    ///   - change: what else is said of the website.
    private func withDesk(
        isReached: Bool = true, change: (inout Client) throws -> Void = { _ in },
        _ body: (PhoneDesk) async throws -> Void
    ) async throws {
        try await withService { service in
            var site = Client(
                id: Self.elsewhere, name: "Elsewhere", kind: .web, publicOrigin: WebOrigin("https://elsewhere.example"),
                returnPaths: try ReturnPathPolicy(entries: ["/news"], defaultPath: "/news"))
            try change(&site)
            service.clients.add(site)
            if isReached { service.change(app) { $0.mayReach.insert(Self.elsewhere) } }
            try await body(try PhoneDesk(service))
        }
    }

    private func request() throws -> HandOffs.Request {
        try #require(
            HandOffs.Request(path: "\(HandOffs.path)?client_id=elsewhere&state=\(String(repeating: "n", count: 22))"))
    }

    /// From the page to the digits, typed where the browser is to go on.
    private func confirm(
        _ desk: PhoneDesk, by phone: BearerIdentity? = nil, for request: HandOffs.Request? = nil,
        replacing current: WebSession? = nil
    ) async throws -> PhoneSignInConfirmation {
        let asked = try request ?? self.request()
        let usual = try await desk.phone()
        let phone = phone ?? usual
        let page = try await desk.begin()
        let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
        return try await desk.confirm(digits, page, for: asked, replacing: current)
    }

    private func link(_ confirmation: PhoneSignInConfirmation) throws -> LoginTokenAnswer {
        guard case .handedOn(let link, of: _) = confirmation else {
            throw StorageError.corrupt("it was not handed on, but \(confirmation.word)")
        }
        return link
    }

    /// A browser that comes to the website from another site, as the redirect brings it.
    private func land(
        _ desk: PhoneDesk, _ link: LoginTokenAnswer, nonce: HandOffState? = PhoneHandOffTests.nonce
    ) async throws -> RedemptionOutcome {
        try await desk.service.redeemer.redeem(
            RedemptionRequest(
                token: .one(link.token),
                visit: Visit(carrier: .query, fetchSite: .crossSite, isDocumentNavigation: true), handOffState: nonce,
                origin: origin()))
    }

    @Test func `an approval leads its browser on to the website that it came from, and opens no session here`()
        async throws
    {
        try await withDesk { desk in
            let link = try link(await confirm(desk))
            #expect(link.loginURL.expose().hasPrefix("https://elsewhere.example/login-with-token?token="))
            let events = try await desk.service.events()
            #expect(events == ["cross_device.scanned", "cross_device.approved", "login_token.issued device_code"])
            let issued = try await desk.service.storage.search(
                AuditFilter(type: .loginTokenIssued), before: nil, limit: 1
            ).records.map(\.event)
            #expect(issued.map(\.sessionID) == ["phone"] && issued.map(\.clientID) == [app])
            #expect(issued.first?.detail?.contains("sign_in_id") == true, "it can be told which scan led to it")
            #expect(try await land(desk, link).word == "opened")
        }
    }

    @Test func `contract §16: what it opens there hangs under the app's session, and has no more than it`()
        async throws
    {
        try await withDesk { desk in
            let phone = try await desk.phone(scope: Scope(tokens: ["openid"]))
            let session = try #require(
                try await land(desk, try link(await confirm(desk, by: phone))).opened?.session)
            #expect(session.opening == .loginToken && session.lineage.parent == .opened(by: "phone"))
            #expect(session.clientID == Self.elsewhere && session.appClientID == app)
            #expect(session.lineage.scope == Scope(tokens: ["openid"]))
            #expect(session.authentication.time == noon && session.authentication.acr == "aal1")
            #expect(session.expiresAt <= noon + .seconds(86_400))
            #expect(!session.lineage.mayBeHandedOn && !session.isOwnSignIn)
        }
    }

    @Test func `it ends with the app's session`() async throws {
        try await withDesk { desk in
            let opened = try #require(try await land(desk, try link(await confirm(desk))).opened)
            #expect(try await desk.service.sessions.lookUp(opened.secret) != nil)
            try await desk.service.endings.end(.appSession("phone"), .sample(.signedOut))
            #expect(try await desk.service.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test(arguments: [nil, HandOffState(String(repeating: "m", count: 22))])
    func `attack: in a browser without the nonce the link asks for a click`(nonce: HandOffState?) async throws {
        try await withDesk { desk in
            let link = try link(await confirm(desk))
            #expect(try await land(desk, link, nonce: nonce).word == "confirm")
            #expect(try await land(desk, link).word == "opened", "nothing was used up")
        }
    }

    @Test func `attack: a second use of the link ends what the first one opened`() async throws {
        try await withDesk { desk in
            let link = try link(await confirm(desk))
            let opened = try #require(try await land(desk, link).opened)
            desk.clock.advance(.seconds(4))
            #expect(try await land(desk, link).word == "refused")
            #expect(try await desk.service.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test func `attack: the website's server redeems no such link`() async throws {
        try await withDesk { desk in
            let link = try link(await confirm(desk))
            let website = try #require(desk.service.clients.current[Self.elsewhere])
            let error = await #expect(throws: OAuthError.self) {
                try await desk.service.redeemer.redeem(
                    BackChannelRedemption(token: link.token, website: website, codeVerifier: nil, origin: origin()))
            }
            #expect(error?.code == .invalidGrant)
            #expect(try await desk.service.events().contains("login_token.refused bound_token"))
            #expect(try await land(desk, link).word == "opened", "nothing was used up")
        }
    }

    @Test func `attack: an app leads no browser to a website that it may not open`() async throws {
        try await withDesk(isReached: false) { desk in
            #expect(try await confirm(desk).word == "signed in", "at the default website, as ever")
            let events = try await desk.service.events()
            #expect(events.contains("login_token.refused target_not_reachable"))
            #expect(!events.contains("login_token.issued"))
        }
    }

    @Test func `attack: an app that has lost its right since the approval leads nobody on`() async throws {
        try await withDesk { desk in
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            desk.service.change(app) { $0.canIssueLoginTokens = false }
            #expect(try await desk.confirm(digits, page, for: try request()).word == "over: completed")
        }
    }

    @Test func `a website that wants more than the app's sign-in is not led to`() async throws {
        try await withDesk(change: { $0.minimumACR = "aal2" }) { desk async throws in
            #expect(try await confirm(desk).word == "signed in")
            #expect(try await desk.service.events().contains("login_token.refused authentication_too_weak"))
        }
    }

    /// Alice approves.
    @Test(arguments: ["alice", "bob"])
    func `an approval that leads nowhere takes the place of no sign-in of the same user's own`(name: String)
        async throws
    {
        try await withDesk(change: { $0.minimumACR = "aal2" }) { desk async throws in
            let own = try await signIn(name, desk)
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let outcome = try await confirm(desk, by: phone, replacing: own.session).word
            #expect(outcome == (name == "alice" ? "not enough" : "signed in"))
            let stays = try await desk.service.sessions.lookUp(own.secret) != nil
            #expect(stays == (name == "alice"))
        }
    }

    @Test func `digits that lead nowhere take the place of no sign-in of the same user's own`() async throws {
        try await withDesk(change: { $0.minimumACR = "aal2" }) { desk async throws in
            let own = try await signIn("alice", desk)
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let digits = try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
            let outcome = try await desk.codes().use(
                digits, of: "alice", for: try request(), replacing: own.session, origin: origin())
            guard case .notEnough = outcome else {
                Issue.record("something else came of it")
                return
            }
            #expect(try await desk.service.sessions.lookUp(own.secret) != nil)
        }
    }

    /// Somebody's own sign-in, where alice and bob have accounts.
    private func signIn(_ name: String, _ desk: PhoneDesk) async throws -> OpenedSession {
        let browser = try SignInDesk(desk.service)
        for user in ["alice", "bob"] { try await browser.add(user) }
        return try #require(try await browser.attempt(name).opened)
    }

    @Test(arguments: [(60, false), (300, true)])
    func `it is not offered where hardly any app's sign-in is new enough`(seconds: Int, isOffered: Bool) async throws {
        try await withDesk(change: { $0.maximumAuthenticationAge = .seconds(seconds) }) { desk async throws in
            #expect(desk.node().mayLeadOn(to: Self.elsewhere) == isOffered)
        }
    }

    /// Its links lead to our own origin, so whoever judges its sessions takes them for kept there; with a page of its
    /// own they would answer what its server asks for.
    @Test(arguments: [nil, "/login-with-token"])
    func `no approval leads to a relying party`(page: String?) async throws {
        let isOfRelyingParty: (inout Client) throws -> Void = { site in
            site.redirectURIs = [
                try RedirectURI(
                    registering: "https://elsewhere.example/cb", rules: RedirectURIRules(isNative: false))
            ]
            site.isFirstParty = page == nil
            site.redemptionPage = page
        }
        try await withDesk(change: isOfRelyingParty) { desk async throws in
            #expect(!desk.node().mayLeadOn(to: Self.elsewhere), "so no page offers it")
            #expect(try await confirm(desk).word == "signed in")
        }
    }

    @Test(arguments: [true, false])
    func `it is offered where some app may open the website`(isReached: Bool) async throws {
        try await withDesk(isReached: isReached) { desk in
            #expect(desk.node().mayLeadOn(to: Self.elsewhere) == isReached)
            #expect(!desk.node().mayLeadOn(to: "nobody"))
        }
    }

    @Test func `beyond the limits of issues one is told to wait, and no session opens here`() async throws {
        try await withDesk { desk async throws in
            for _ in 0..<5 { _ = try link(await confirm(desk)) }
            let error = await #expect(throws: OAuthError.self) { try await confirm(desk) }
            #expect(error?.code == .rateLimited)
            #expect(try await !desk.service.events().contains { $0.hasPrefix("user.signed_in") })
        }
    }

    @Test func `digits that a phone shows lead on as well`() async throws {
        try await withDesk { desk in
            try await SignInDesk(desk.service).add("alice")
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let digits = try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
            let outcome = try await desk.codes().use(
                digits, of: "alice", for: try request(), replacing: nil, origin: origin())
            guard case .handedOn(let link, of: let subject) = outcome, subject == "sub-alice" else {
                Issue.record("it was not handed on")
                return
            }
            let session = try #require(try await land(desk, link).opened?.session)
            #expect(session.subject == "sub-alice" && session.lineage.parent == .opened(by: "phone of alice"))
        }
    }

    private static let noRequests: [String?] = [
        nil, "/contacts", HandOffs.path, "\(HandOffs.path)?client_id=elsewhere",
        "\(HandOffs.path)?client_id=elsewhere&state=n",
        "\(HandOffs.path)?state=\(String(repeating: "n", count: 22))",
        "\(HandOffs.path)?client_id=a&client_id=b&state=\(String(repeating: "n", count: 22))",
    ]

    @Test(arguments: noRequests)
    func `what asks for no hand-off, or for none that could be followed, is none`(path: String?) {
        #expect(HandOffs.Request(path: path) == nil)
    }
}
