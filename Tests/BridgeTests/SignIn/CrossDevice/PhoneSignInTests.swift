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
                    "web_session.opened",
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
            try await service.endings.end(.appSession("phone"), .sample("signed_out"))
            #expect(try await service.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test func `an approval whose app has ended meanwhile opens nothing`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            try await service.endings.end(.appSession("phone"), .sample("signed_out"))
            #expect(try await desk.confirm(digits, page).word == "over: completed")
            #expect(try await desk.reasons() == ["session_ended"])
            #expect(try await service.events().contains("web_session.opened") == false)
        }
    }

    @Test func `attack: a second scanner is refused, and the first may scan again`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let first = try await desk.scan(page, try await desk.phone())
            for thief in [try await desk.phone("other"), try await desk.phone("mallory's", of: "mallory")] {
                #expect(try await desk.refusal { try await desk.scan(page, thief) } == "already_scanned")
            }
            let again = try await desk.scan(page, try await desk.phone())
            #expect(again.transaction.expose() != first.transaction.expose())
            #expect(try await desk.refusal { try await desk.approve(page, first, desk.phone()) } == "access_denied")
            #expect(try await desk.approve(page, again, desk.phone()).utf8.count == 6)
        }
    }

    @Test func `attack: of many phones that scan at once one is bound`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            var phones: [BearerIdentity] = []
            for number in 0..<8 {
                phones.append(try await desk.phone("phone-\(number)", of: Subject(rawValue: "user-\(number)")))
            }
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for phone in phones { group.addTask { try await desk.refusal { try await desk.scan(page, phone) } } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "none" } == 1)
            #expect(outcomes.count { $0 == "already_scanned" } == 7)
        }
    }

    @Test func `attack: another user's phone, or another of the same user's, can neither approve nor decline`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, try await desk.phone())
            for other in [try await desk.phone("tablet"), try await desk.phone("mallory's", of: "mallory")] {
                #expect(try await desk.refusal { try await desk.approve(page, scanned, other) } == "access_denied")
                #expect(
                    try await desk.refusal {
                        try await desk.approvals().deny(page.id, isReport: true, bearer: other, origin: origin())
                    } == "access_denied")
            }
            #expect(try await desk.state(page) == .scanned)
        }
    }

    @Test func `attack: a transaction is used once, and no other one counts`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, phone)
            let forged = try await desk.refusal {
                try await desk.approvals().approve(page.id, transaction: "forged", bearer: phone, origin: origin())
            }
            #expect(forged == "access_denied")
            let digits = try await desk.approve(page, scanned, phone)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, phone) } == "conflict")
            _ = try await desk.confirm(digits, page)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, phone) } == "conflict")
            #expect(try await desk.refusal { try await desk.scan(page, phone) } == "conflict")
            #expect(try await desk.confirm(digits, page).word == "over: completed")
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

    @Test func `attack: a live relay shows itself, by another network and browser`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "198.51.100.20", userAgent: "curl/8")
            desk.clock.advance(.seconds(7))
            let scanned = try await desk.scan(page, try await desk.phone(), from: "203.0.113.9")
            #expect(!scanned.isSameNetwork)
            #expect(scanned.network == "198.51.100.0/24")
            #expect(scanned.browser == nil)
            #expect(scanned.system == nil)
            #expect(scanned.age == 7)
        }
    }

    @Test func `where it is asked for, a phone of another network is refused`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "198.51.100.20")
            let phone = try await desk.phone()
            let approvals = desk.approvals(requiresSameNetwork: true)
            #expect(
                try await desk.refusal {
                    try await approvals.scan(page.id, bearer: phone, origin: origin("203.0.113.9"))
                } == "access_denied")
            // It did not take the page from the right one.
            #expect(try await desk.state(page) == .created)
        }
    }

    @Test(arguments: ["2001:db8:0:1ff::1", "2001:db8:0:1200::1"])
    func `one network is a /56 of IPv6`(address: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "2001:db8:0:100::1")
            let scanned = try await desk.scan(page, try await desk.phone(), from: address)
            #expect(scanned.isSameNetwork == (address == "2001:db8:0:1ff::1"))
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

    @Test(arguments: [SessionOpening.loginToken, .handOff, .deviceCode, .tokenExchange])
    func `attack: a session that was handed over cannot approve`(opening: SessionOpening) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            try await expectNoApproval(by: desk.phone("handed-off", opening: opening), desk)
        }
    }

    @Test func `attack: a session granted in a handed-over one cannot approve`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            try await expectNoApproval(by: desk.phone("granted", ancestry: [.authorize, .loginToken]), desk)
        }
    }

    private func expectNoApproval(by phone: BearerIdentity, _ desk: PhoneDesk) async throws {
        let page = try await desk.begin()
        #expect(try await desk.refusal { try await desk.scan(page, phone) } == "unauthorized_client")
        let shown = try await desk.refusal { try await desk.codes().show(bearer: phone, origin: origin()) }
        #expect(shown == "unauthorized_client")
        #expect(try await desk.reasons() == ["chained_session", "chained_session"])
    }

    @Test func `a client without the right, and another issuer's bearer, cannot approve`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let mute = try await desk.phone("mute", client: "mute")
            #expect(try await desk.refusal { try await desk.scan(page, mute) } == "unauthorized_client")
            #expect(
                try await desk.refusal { try await desk.scan(page, service.bearer(sid: "phone")) }
                    == "unauthorized_client")
        }
    }

    @Test func `an approval takes a token of the last five minutes`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let old = try await desk.phone(issuedAt: noon - .seconds(301))
            let scanned = try await desk.scan(page, old)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, old) } == "invalid_token")
            #expect(try await desk.approve(page, scanned, desk.phone()).utf8.count == 6)
        }
    }

    @Test(arguments: [" ", "", ".", "_", "\t", "–", "\u{A0}", " / "])
    func `eight letters find the page, however they are typed, and the phone goes on from there`(
        between: String
    ) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let typed = page.shownCode.lowercased().replacing("-", with: between)
            let found = try await desk.approvals().find(typed: typed, bearer: phone, origin: origin())
            #expect(found.id == page.id)
            #expect(try await desk.approvals().scan(found.id, bearer: phone, origin: origin()).expiresIn == 120)
        }
    }

    @Test func `attack: of a hundred guesses of letters at once five are looked at`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        _ = try? await desk.approvals().find(typed: "BCDF-GHJK", bearer: phone, origin: origin())
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.events().count { $0 == "cross_device.refused unknown_code" } == 5)
        }
    }

    @Test func `attack: five wrong letters stop a user's search on every node, for a quarter of an hour`() async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            for _ in 0..<5 {
                #expect(
                    try await desk.refusal {
                        try await desk.approvals().find(typed: "BCDF-GHJK", bearer: phone, origin: origin())
                    } == "not_found")
            }
            let right = { try await desk.approvals().find(typed: page.shownCode, bearer: phone, origin: origin()) }
            #expect(try await desk.refusal(right) == "rate_limited")
            let other = try await desk.phone("other", of: "bob")
            let found = try await desk.approvals().find(typed: page.shownCode, bearer: other, origin: origin())
            #expect(found.id == page.id)
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
