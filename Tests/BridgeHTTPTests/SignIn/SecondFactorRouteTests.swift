import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

@Suite struct SecondFactorRouteTests {
    private static let path = "/account/second-factor"

    private func run(
        limiter: any RateLimiter = UnlimitedRateLimiter(),
        _ body: @Sendable (TestBridge, TestBrowser) async throws -> Void
    ) async throws {
        try await TestBridge.run(limiter: limiter) { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await body(bridge, TestBrowser(client))
        }
    }

    /// The code that an authenticator app with the page's key shows.
    private func code(of page: TestResponse, at now: Timestamp, later steps: Int64 = 0) throws -> String {
        let key = try #require(page.text.firstMatch(of: /<pre id="secret"[^>]*>([A-Z2-7 ]+)</)).1
        let secret = try #require(Self.decode(String(key)))
        return OneTimeCode.code(secret: secret, step: OneTimeCode.step(at: now) + steps)
    }

    private static func decode(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bits: [UInt8] = []
        for character in text where character != " " {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits += (0..<5).map { UInt8(value >> (4 - $0) & 1) }
        }
        return stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// The fields of the form that does `what`.
    private func fields(_ page: TestResponse, _ what: String) -> [(String, String)] {
        let token = page.fields.first { $0.0 == "form_token" }
        let draft = page.fields.first { $0.0 == "draft" }
        return [token, draft].compactMap(\.self) + [("what", what)]
    }

    private func enrol(_ bridge: TestBridge, _ browser: TestBrowser) async throws -> TestResponse {
        let page = try await browser.get(Self.path)
        let code = try code(of: page, at: bridge.clock.now)
        return try await browser.post(Self.path, fields(page, "enrol") + [("code", code)])
    }

    private func signIn(_ browser: TestBrowser, as name: String = "alice") async throws {
        let answer = try await browser.signIn(on: browser.get("/sign-in"), as: name)
        #expect(answer.status == .seeOther)
    }

    /// For who hears the page: its title, and the field with what is wrong with it.
    private func saysWhatIsWrong(_ page: TestResponse) -> Bool {
        page.text.contains("<title>Error: ") && page.text.contains(#"aria-invalid="true""#)
    }

    /// Ids of the fields that the notice is about.
    private func markedFields(_ page: TestResponse) -> [String] {
        page.text.matches(of: #/id="([a-z-]+)"[^>]* aria-invalid="true" aria-describedby="notice[^"]*"/#).map {
            String($0.1)
        }
    }

    private func recoveryCodes(_ page: TestResponse) -> [String] {
        page.text.matches(of: /[a-z2-7]{4}(-[a-z2-7]{4}){3}/).map { String($0.0) }
    }

    @Test func `a visitor who is not signed in is sent to the sign-in and comes back`() async throws {
        try await run { _, browser in
            let answer = try await browser.get(Self.path)
            #expect(answer.status == .seeOther)
            let landing = try await browser.signIn(on: browser.follow(answer))
            #expect(landing.headers[.location] == TestBridge.publicOrigin + Self.path)
            #expect(try await browser.follow(landing).plain.contains("otpauth://totp/Example:alice?secret="))
        }
    }

    @Test func `a factor is in force after its first code, asked for at the next sign-in, and recorded`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let done = try await enrol(bridge, browser)
            #expect(done.status == .ok && recoveryCodes(done).count == RecoveryCode.count)
            let account = try #require(try await bridge.storage.account(of: "alice"))
            #expect(account.secondFactor != nil)
            let events = try await bridge.storage.search(
                AuditFilter(type: .userSecondFactorChanged), before: nil, limit: 5
            ).records.map(\.event)
            #expect(events.map(\.detail) == [#"{"actor":"account:alice","change":"enrolled"}"#])
            let other = TestBrowser(browser.client)
            let codePage = try await other.signIn(on: other.get("/sign-in"))
            #expect(codePage.status == .ok && codePage.plain.contains("/sign-in/code"))
            let recovered = try await other.post(
                "/sign-in/code", codePage.fields + [("code", recoveryCodes(done)[0])])
            #expect(recovered.status == .seeOther)
        }
    }

    @Test func `the code that turned it on signs nobody in`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path)
            let code = try code(of: page, at: bridge.clock.now)
            _ = try await browser.post(Self.path, fields(page, "enrol") + [("code", code)])
            let other = TestBrowser(browser.client)
            let codePage = try await other.signIn(on: other.get("/sign-in"))
            let answer = try await other.post("/sign-in/code", codePage.fields + [("code", code)])
            #expect(answer.status == .badRequest && saysWhatIsWrong(answer) && !saysWhatIsWrong(codePage))
            #expect(answer.text.contains("if it is a recovery code, compare it with your list"))
            #expect(codePage.text.contains("Neither at hand? Those who run this service"))
            let next = try self.code(of: page, at: bridge.clock.now, later: 1)
            let mended = try await other.post("/sign-in/code", answer.fields + [("code", next)])
            #expect(mended.status == .seeOther)
        }
    }

    @Test func `a wrong code turns nothing on and keeps the key that was shown`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path)
            let right = try code(of: page, at: bridge.clock.now)
            let wrong = right == "000000" ? "000001" : "000000"
            let answer = try await browser.post(Self.path, fields(page, "enrol") + [("code", wrong)])
            #expect(answer.status == .badRequest && saysWhatIsWrong(answer))
            #expect(!saysWhatIsWrong(page))
            #expect(try code(of: answer, at: bridge.clock.now) == right)
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == nil)
        }
    }

    @Test func `a form without our token changes nothing`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path)
            let code = try code(of: page, at: bridge.clock.now)
            let fields = fields(page, "enrol").filter { $0.0 != "form_token" }
            let answer = try await browser.post(Self.path, fields + [("code", code)])
            #expect(answer.status == .badRequest)
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == nil)
        }
    }

    @Test func `another user's draft turns nothing on`() async throws {
        try await run { bridge, browser in
            let attacker = TestBrowser(browser.client)
            try await signIn(attacker, as: "bob")
            let planted = try await attacker.get(Self.path)
            try await signIn(browser)
            let own = try await browser.get(Self.path)
            let token = own.fields.filter { $0.0 == "form_token" }
            let draft = planted.fields.filter { $0.0 == "draft" }
            let code = try code(of: planted, at: bridge.clock.now)
            let answer = try await browser.post(Self.path, token + draft + [("what", "enrol"), ("code", code)])
            #expect(answer.status == .badRequest)
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == nil)
        }
    }

    @Test func `an older sign-in is renewed first`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path)
            bridge.clock.advance(by: SecondFactorEnrolment.recency + .seconds(1))
            let answer = try await browser.get(Self.path)
            #expect(answer.status == .seeOther && answer.headers[.location]?.contains("/sign-in?redirect=") == true)
            let late = try await browser.post(
                Self.path, fields(page, "enrol") + [("code", try code(of: page, at: bridge.clock.now))])
            #expect(late.status == .seeOther)
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == nil)
        }
    }

    @Test func `a session of a login token may not change it`() async throws {
        try await run { bridge, browser in
            let cookie = try await browser.client.signIn("alice")
            let parts = cookie.split(separator: "=", maxSplits: 1).map(String.init)
            browser.hold(parts[0], parts[1])
            let answer = try await browser.get(Self.path)
            #expect(answer.status == .seeOther && answer.headers[.location]?.contains("/sign-in?redirect=") == true)
        }
    }

    @Test func `removing takes a code, and each code counts once`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let codes = recoveryCodes(try await enrol(bridge, browser))
            let page = try await browser.get(Self.path)
            let refused = try await browser.post(Self.path, fields(page, "remove") + [("code", "aaaa-aaaa-aaaa-aaaa")])
            #expect(refused.status == .badRequest)
            let renewed = try await browser.post(Self.path, fields(page, "recovery-codes") + [("code", codes[0])])
            #expect(renewed.status == .ok && Set(recoveryCodes(renewed)).isDisjoint(with: codes))
            for used in codes.prefix(2) {
                let answer = try await browser.post(Self.path, fields(page, "remove") + [("code", used)])
                #expect(answer.status == .badRequest)
            }
            let fresh = recoveryCodes(renewed)[0]
            let removed = try await browser.post(Self.path, fields(page, "remove") + [("code", fresh)])
            #expect(removed.status == .ok)
            #expect(removed.text.contains(#"whole" role="status" id="notice">The second factor was removed."#))
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == nil)
        }
    }

    @Test(arguments: [("remove", "removal-code"), ("recovery-codes", "renewal-code")])
    func `a wrong code is marked in the form that sent it, and in no other`(what: String, field: String) async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            _ = try await enrol(bridge, browser)
            let page = try await browser.get(Self.path)
            #expect(markedFields(page).isEmpty)
            let refused = try await browser.post(Self.path, fields(page, what) + [("code", "aaaa-aaaa-aaaa-aaaa")])
            #expect(saysWhatIsWrong(refused) && markedFields(refused) == [field])
            #expect(refused.text.contains("if it is a recovery code, compare it with your list"))
        }
    }

    @Test func `what a code does is said of each of the two fields that take one`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            _ = try await enrol(bridge, browser)
            let page = try await browser.get(Self.path).text
            let described = page.matches(of: #/<input [^>]*id="([a-z]+)-code"[^>]* aria-describedby="([a-z]+)"/#)
                .map { [String($0.1), String($0.2)] }
            #expect(described == [["renewal", "renewal"], ["removal", "removal"]])
            for name in ["renewal", "removal"] { #expect(page.contains(#"<p id="\#(name)">"#)) }
            #expect(page.matches(of: #/-code">Code from your app, or a recovery code</#).count == 2)
        }
    }

    @Test func `a factor that is there is not replaced by the form of another tab`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            let tab = try await browser.get(Self.path)
            _ = try await enrol(bridge, browser)
            let first = try await bridge.storage.account(of: "alice")?.secondFactor
            let answer = try await browser.post(
                Self.path, fields(tab, "enrol") + [("code", try code(of: tab, at: bridge.clock.now))])
            #expect(answer.status == .conflict)
            #expect(try await bridge.storage.account(of: "alice")?.secondFactor == first)
        }
    }

    @Test func `a form that set the factor up and comes again accuses nobody, and says where new codes are made`()
        async throws
    {
        try await run { bridge, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path)
            let sent = fields(page, "enrol") + [("code", try code(of: page, at: bridge.clock.now))]
            let codes = recoveryCodes(try await browser.post(Self.path, sent))
            let again = try await browser.post(Self.path, sent)
            #expect(again.status == .conflict && again.text.contains("Your codes are not shown again"))
            #expect(recoveryCodes(again).isEmpty && !again.text.contains("changed meanwhile"))
            #expect(!again.text.contains("<title>Error: ") && again.text.contains(#"role="status" id="notice""#))
            #expect(again.text.contains("Make new recovery codes"))
            let account = try await browser.get("/account").text
            #expect(account.contains("Second factor turned on") && !account.contains("Somebody tried"))
            // Nothing has changed.
            let removed = try await browser.post(Self.path, fields(again, "remove") + [("code", codes[0])])
            #expect(removed.status == .ok && removed.text.contains("The second factor was removed."))
        }
    }

    @Test func `the page of the recovery codes says whose they are`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            #expect(try await enrol(bridge, browser).text.contains(#"<strong id="whose">alice</strong>"#))
        }
    }

    @Test func `guessing codes is held back like guessing passwords`() async throws {
        try await run(limiter: InProcessRateLimiter(clock: .parameter)) { bridge, browser in
            try await signIn(browser)
            let codes = recoveryCodes(try await enrol(bridge, browser))
            let page = try await browser.get(Self.path)
            var answers: [Int] = []
            for _ in 0..<6 {
                let answer = try await browser.post(
                    Self.path, fields(page, "remove") + [("code", "aaaa-aaaa-aaaa-aaaa")])
                answers.append(answer.status.code)
            }
            #expect(answers.last == 429)
            let right = try await browser.post(Self.path, fields(page, "remove") + [("code", codes[0])])
            let wait = try #require(right.headers[.retryAfter].flatMap { Int($0) })
            #expect(right.status.code == 429 && right.text.contains("Please wait \(wait) s"))
            #expect(right.text.contains("<title>Error: ") && !right.text.contains("aria-invalid"))
        }
    }

    @Test func `a user who signs in elsewhere is told so`() async throws {
        try await run { bridge, browser in
            let cookie = try await browser.client.signIn("visitor")
            let parts = cookie.split(separator: "=", maxSplits: 1).map(String.init)
            browser.hold(parts[0], parts[1])
            let page = try await browser.get(Self.path)
            #expect(page.status == .ok && page.text.contains("with an account from another provider"))
        }
    }

    @Test func `an administrator without a second factor is led to it, and in with it`() async throws {
        try await run { bridge, browser in
            let now = bridge.clock.now
            _ = try await bridge.storage.addAccount(
                Account(
                    subject: "root", username: Username("root"),
                    passwordHash: try PasswordHash(
                        Secret(TestAccounts.password), cost: TestAccounts.cost, random: .system),
                    role: .admin, createdAt: now),
                issuer: Account.issuer, link: nil,
                event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: "root"))
            let landing = try await browser.signIn(on: browser.get("/sign-in?redirect=%2Fadmin%2F"), as: "root")
            let page = try await browser.follow(landing)
            #expect(page.text.contains("The console requires a second factor."))
            let code = try code(of: page, at: now)
            let done = try await browser.post(
                Self.path, fields(page, "enrol") + [("for", "console"), ("code", code)])
            #expect(done.plain.contains(#"href="/sign-in?redirect=%2Fadmin%2F""#))
            let codePage = try await browser.signIn(on: browser.get("/sign-in?redirect=%2Fadmin%2F"), as: "root")
            let next = try self.code(of: page, at: now, later: 1)
            let into = try await browser.post("/sign-in/code", codePage.fields + [("code", next)])
            #expect(into.headers[.location] == TestBridge.publicOrigin + "/admin/")
            #expect(try await browser.follow(into).status == .ok)
        }
    }
}

extension TestResponse {
    /// The page with its slashes as people write them.
    fileprivate var plain: String { text.replacing("&#x2F;", with: "/") }
}
