import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A computer's browser signed in with a phone, and what is tried against it (docs/cross-device.md).
@Suite struct PhoneSignInTests {
    @Test func `a phone signs a computer's browser in, each step on another node`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            #expect(try await desk.state(page) == .created)
            let scanned = try await desk.scan(page, phone)
            #expect(scanned.browser == "Firefox")
            #expect(scanned.system == "Windows")
            #expect(scanned.network == "203.0.113.0/24")
            #expect(scanned.isSameNetwork)
            #expect(!scanned.isKnownBrowser)
            #expect(try await desk.state(page) == .scanned)
            let digits = try await desk.approve(page, scanned, phone)
            #expect(digits.utf8.count == 6)
            #expect(try await desk.state(page) == .approved)
            let opened = try #require(try await desk.confirm(digits, page).opened)
            #expect(opened.session.subject == "alice")
            #expect(try await desk.state(page) == .completed)
            #expect(
                try await service.events() == [
                    "cross_device.scanned", "cross_device.approved", "user.signed_in device_code",
                    "web_session.opened device_code",
                ])
        }
    }

    @Test func `contract §16: the session hangs under the app's, has no more than it, and hands nothing on`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let lineage = try await desk.signIn(desk.phone(scope: Scope(tokens: ["openid"]))).session.lineage
            #expect(lineage.opening == .deviceCode)
            #expect(lineage.parent == .opened(by: "phone"))
            #expect(lineage.scope == Scope(tokens: ["openid"]))
            #expect(lineage.authentication.time == noon)
            #expect(lineage.expiresAt <= noon + .seconds(86_400))
            #expect(!lineage.mayBeHandedOn)
            #expect(!lineage.mayBeRenewed)
            #expect(!lineage.isOwnSignIn)
            #expect(!lineage.mayApproveSignIn)
        }
    }

    @Test func `contract §16: the opened session gets no app's code, and its grants no login token`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let session = try await desk.signIn().session
            let directory = service.clients.current
            let native = try #require(directory[app])
            #expect(!session.reaches(native, in: directory), "an app's authorization request asks for a sign-in")
            let shop = try #require(directory[website])
            #expect(session.reaches(shop, in: directory))
            let wanted = Scope(tokens: ["openid", Scope.offlineAccess, Scope.deviceSSO])
            let granted = session.granted(wanted, at: noon, lifetime: .seconds(600))
            #expect(!granted.mayBeHandedOn)
            #expect(granted.scope?.contains(Scope.deviceSSO) == false)
            #expect(granted.scope?.contains(Scope.offlineAccess) == false)
            // As a bearer it is a browser's, which never issues.
            let bearer = BearerIdentity(
                subject: "alice", clientID: app, issuer: "https://bridge.example", authority: .own,
                sessionID: session.id, authentication: Authentication(), scope: wanted, issuedAt: noon,
                expiresAt: noon + .seconds(60))
            let refusal = try await desk.refusal {
                try await service.issuer.issue(LoginTokenIssueRequest(), bearer: bearer, origin: origin())
            }
            #expect(refusal == "unauthorized_client")
        }
    }

    @Test func `the app's session ends, and the computer's with it`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let opened = try await desk.signIn()
            #expect(try await service.sessions.lookUp(opened.secret) != nil)
            try await service.endings.end(.appSession("phone"), .sample(.signedOut))
            #expect(try await service.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test func `an approval whose app has ended meanwhile opens nothing`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            try await service.endings.end(.appSession("phone"), .sample(.signedOut))
            #expect(try await desk.confirm(digits, page).word == "over: completed")
            #expect(try await desk.reasons() == ["session_ended"])
            #expect(try await service.events().contains { $0.hasPrefix("web_session.opened") } == false)
        }
    }

    @Test func `attack: a stolen id opens nothing, and guesses nothing about the browser's secret`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            // Whoever has the id has no cookie that goes with it: any other secret is another sign-in.
            let stranger = OpaqueSecret.make(.phoneSignIn, random: .system)
            let outcome = try await desk.node().confirm(digits, by: stranger, replacing: nil, origin: origin())
            #expect(outcome.word == "over: expired")
            #expect(try await desk.state(page) == .approved)
            #expect(!page.secret.expose().contains(page.id))
        }
    }

    @Test func `attack: a confirmation from another browser, with its own page, opens nothing`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let other = try await desk.begin(from: "198.51.100.1")
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            #expect(try await desk.confirm(digits, other).word == "not yet")
            #expect(try await desk.confirm(digits, page).word == "signed in")
        }
    }

    @Test func `attack: three wrong digits end it on every node, the right ones after them too`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            for word in ["wrong", "wrong", "over: locked"] {
                #expect(try await desk.confirm(wrong(digits), page).word == word)
            }
            #expect(try await desk.confirm(digits, page).word == "over: locked")
            #expect(try await desk.reasons() == ["locked", "wrong_digits", "wrong_digits"])
        }
    }

    @Test(arguments: ["", "   ", "12 34", "1234567", "abcdef"])
    func `what cannot be the digits is none of the three tries, and no event`(typed: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            #expect(try await desk.confirm(typed, page).word == "not yet")
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            for _ in 0..<2 { #expect(try await desk.confirm(wrong(digits), page).word == "wrong") }
            for _ in 0..<5 { #expect(try await desk.confirm(typed, page).word == "no digits") }
            #expect(try await desk.reasons() == ["wrong_digits", "wrong_digits"])
            #expect(try await desk.state(page) == .approved)
            #expect(try await desk.confirm(digits, page).word == "signed in")
            #expect(try await desk.confirm(typed, page).word == "over: completed")
        }
    }

    @Test(arguments: ["arabic", "hyphen"])
    func `the digits may be typed in another script, or with a hyphen`(form: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            #expect(try await desk.confirm(written(digits, form), page).word == "signed in")
        }
    }

    @Test func `attack: of a hundred guesses at once on two nodes three count`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let nodes = [desk.node(), desk.node()]
            let words = await withTaskGroup(of: String.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        // Busy is no answer about the digits.
                        (try? await nodes[number % 2].confirm(
                            wrong(digits), by: page.secret, replacing: nil, origin: origin()))?.word ?? "busy"
                    }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(words.count { $0 == "wrong" } == 2)
            #expect(words.contains("signed in") == false)
            #expect(try await desk.state(page) == .locked)
        }
    }

    @Test func `of two right confirmations at once one opens a session`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 { group.addTask { try await desk.confirm(digits, page).word } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(words.count { $0 == "signed in" } == 1)
            #expect(words.count { $0 == "over: completed" } == 5)
        }
    }

    @Test func `attack: session fixation, the browser's session is a new one and the one before ends`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let planted = try await desk.signIn()
            let page = try await desk.begin()
            let phone = try await desk.phone()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let opened = try #require(
                try await desk.confirm(digits, page, replacing: planted.session).opened)
            #expect(opened.session.id != planted.session.id)
            #expect(try await service.sessions.lookUp(planted.secret) == nil)
        }
    }

    @Test
    func `attack: a code in an e-mail has no page to type into until a phone is bound, and is dead in two minutes`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            #expect(!page.state.takesDigits)
            desk.clock.advance(.seconds(120))
            #expect(try await desk.refusal { try await desk.scan(page, desk.phone()) } == "not_found")
            #expect(try await desk.state(page) == .expired)
        }
    }

    @Test(arguments: ["created", "scanned", "approved"])
    func `every open state runs out`(state: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            var scanned: ScannedSignIn?
            var digits = "000000"
            if state != "created" { scanned = try await desk.scan(page, phone) }
            if state == "approved", let scanned { digits = try await desk.approve(page, scanned, phone) }
            desk.clock.advance(state == "approved" ? .seconds(60) : .seconds(120))
            #expect(try await desk.state(page) == .expired)
            #expect(try await desk.refusal { try await desk.scan(page, desk.phone()) } == "not_found")
            if let scanned {
                #expect(try await desk.refusal { try await desk.approve(page, scanned, desk.phone()) } == "not_found")
            }
            #expect(try await desk.confirm(digits, page).word == "over: expired")
        }
    }

    @Test func `declining ends it, also after the approval, and nothing is opened`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin())
            #expect(try await desk.state(page) == .denied)
            #expect(try await desk.confirm(digits, page).word == "over: denied")
        }
    }

    @Test func `a report raises an alarm and keeps the computer's address out for a quarter of an hour`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin(from: "198.51.100.20")
            _ = try await desk.scan(page, phone)
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin("203.0.113.9"))
            #expect(try await service.events().contains("cross_device.reported"))
            for (wait, isOut) in [(Duration.zero, true), (.seconds(899), true), (.seconds(1), false)] {
                desk.clock.advance(wait)
                let start = try await desk.node().begin(replacing: nil, origin: origin("198.51.100.20"))
                if case .limited = start { #expect(isOut) } else { #expect(!isOut) }
            }
            // Its neighbour did nothing.
            _ = try await desk.begin(from: "198.51.100.21")
        }
    }

    @Test func `attack: the eleventh page of a network in a minute is refused`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            for _ in 0..<10 { _ = try await desk.begin() }
            let next = try await desk.node().begin(replacing: nil, origin: origin())
            guard case .limited = next else { return #expect(Bool(false), "a page") }
        }
    }

    @Test func `a page hears that it is over once another tab has opened the next one, which goes on`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let first = try await desk.begin()
            let start = try await desk.node().begin(replacing: first.secret, origin: origin())
            guard case .started(let second) = start else { return #expect(Bool(false), "no page") }
            // Both tabs have the browser's cookie, which is the second one's.
            let old = try await desk.node().news(of: second.secret, on: first.tab, seen: .created)
            #expect(old.page.state == .expired && old.page.left == 0 && old.nextQuestionAfter == nil)
            let new = try await desk.node().news(of: second.secret, on: second.tab, seen: nil)
            #expect(new.page.state == .created && new.page.left == 120)
            #expect(first.tab != first.id, "what proxies write down must not name the link")
        }
    }

    @Test func `a browser's page before ends with its next one`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let first = try await desk.begin()
            _ = try await desk.node().begin(replacing: first.secret, origin: origin())
            #expect(try await desk.refusal { try await desk.scan(first, phone) } == "not_found")
            #expect(
                try await desk.refusal {
                    try await desk.approvals().find(typed: first.shownCode, bearer: phone, origin: origin())
                } == "not_found")
        }
    }
}
