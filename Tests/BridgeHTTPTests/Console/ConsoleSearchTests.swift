import Bridge
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@testable import BridgeHTTP

/// Questions to the audit log that the console's pages lead to.
@Suite struct ConsoleSearchTests {
    /// The console, opened by an account.
    private func withConsole(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client async throws in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            try await body(bridge, browser)
        }
    }

    private func page(_ browser: TestBrowser, _ path: String) async throws -> String {
        let answer = try await browser.get(path)
        #expect(answer.status == .ok)
        return plain(answer)
    }

    private func plain(_ answer: TestResponse) -> String {
        answer.text.replacing("&#x2F;", with: "/").replacing("&amp;", with: "&")
    }

    @Test func `what an administrator did is found by who it was, and the list names them`() async throws {
        try await withConsole { bridge, browser async throws in
            let now = bridge.clock.now
            try await bridge.storage.append([
                AdminAction(actor: .account("root"), reason: "on leave", origin: nil, at: now)
                    .event(.userDisabled, subject: "bob"),
                AuditEvent.byUser(
                    .userPasswordChanged, "bob", sessionID: nil,
                    origin: RequestOrigin(address: nil, userAgent: nil, requestID: "r"), at: now),
            ])
            let found = try await page(browser, "/admin/events?q=account%3Aroot")
            #expect(found.contains(#"<bdi>on leave</bdi> · <bdi dir="ltr">account:root</bdi>"#))
            #expect(!found.contains(AuditEvent.byTheUser))
            #expect(found.contains(#"aria-describedby="hint-q"><p class="small quiet" id="hint-q">Searched: "#))
            let own = try await page(browser, "/admin/events?type=user.password_changed")
            #expect(own.contains("<bdi>by the user</bdi></td>"))
            let event = try #require(found.firstMatch(of: #/<td><a href="(/admin/events/[^"]+)"/#)).1
            let shown = try await page(browser, String(event))
            #expect(shown.contains(#"<a href="/admin/events?q=account%3Aroot">account:root</a>"#))
        }
    }

    @Test func `lists of events and sessions name people, and a search by a name leads to their events`() async throws {
        try await withConsole { bridge, browser async throws in
            let now = bridge.clock.now
            let subject: Subject = "J5nKop2q3Fg5_weTfYFgww"
            _ = try await bridge.storage.addAccount(
                Account(
                    subject: subject, username: Username("maria.gonzalez"), displayName: "María González",
                    createdAt: now),
                issuer: Account.issuer, link: nil,
                event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: subject))
            _ = try await browser.client.signIn(subject.rawValue)
            let row = #"<td><bdi>María González</bdi><br><a href="/admin/users/\#(subject.rawValue)"#
            for list in ["events", "sessions"] {
                let shown = try await page(browser, "/admin/\(list)")
                #expect(shown.contains(row), "\(list)")
            }
            for (query, more) in [
                ("sub=maria.gonzalez", ""), ("q=maria.gonz", ""),
                ("type=user.created&sub=maria.gonz", "&type=user.created"),
            ] {
                let found = try await page(browser, "/admin/events?\(query)")
                let link = #"<a href="/admin/events?sub=\#(subject.rawValue)\#(more)">Events of María González</a>"#
                #expect(found.contains(link), "\(query)")
            }
        }
    }

    @Test func `no field takes a link, whose token would be in the address of the page`() async throws {
        try await withConsole { _, browser async throws in
            let page = try await page(browser, "/admin/events")
            for name in ["token_id", "sid", "request_id"] {
                let field = try Regex(#"<input [^>]*name="\#(name)"[^>]* pattern="[^"]+" title="The id, not the link"#)
                #expect(page.contains(field))
            }
            #expect(page.contains(#/<input [^>]*name="q"[^>]* pattern="\(\?!\.\*token=\)\.\*" title="No link here/#))
            #expect(page.matches(of: /pattern=/).count == 4)
        }
    }

    @Test func `a link is explained as the token in it, and leads to the events of that`() async throws {
        try await withConsole { _, browser async throws in
            let issued = try await browser.client.issue()
            let formToken = try #require(
                try await browser.get("/admin/explain").fields.first { $0.0 == "form_token" })
            for pasted in [issued.token, issued.login_url, "\(issued.login_url)&redirect=%2Fcontacts"] {
                let answer = try await browser.post(
                    "/admin/explain", [formToken, ("kind", "redemption"), ("token", pasted)])
                #expect(answer.status == .ok && answer.text.contains(#"<span class="good">It passes</span>"#))
                #expect(plain(answer).contains(#"<a href="/admin/events?token_id=\#(issued.id)""#))
                #expect(!answer.text.contains(issued.token))
            }
            let other = try await browser.post(
                "/admin/explain", [formToken, ("kind", "redemption"), ("token", "no.such.token")])
            #expect(other.text.contains("<code>malformed</code>") && !other.text.contains("token_id="))
        }
    }

    @Test(arguments: [
        ("a.b-c_d", "a.b-c_d"), (" a.b-c_d\n", "a.b-c_d"), ("", ""),
        ("https://bridge.example/login-with-token?token=a.b-c_d", "a.b-c_d"),
        ("https://bridge.example/login-with-token?redirect=%2Fa&token=a.b-c_d&code=1", "a.b-c_d"),
        ("https://bridge.example/login-with-token#token=a.b-c_d", "a.b-c_d"),
        ("https://bridge.example/a?my_token=x#redirect=%2F&token=a.b-c_d", "a.b-c_d"),
    ])
    func `the token of a link is its parameter, wherever it stands`(pasted: String, token: String) {
        #expect(ConsoleExplain.loginToken(in: pasted) == token)
    }

    @Test func `each sum of the overview leads to the events that it counts`() async throws {
        try await withConsole { _, browser async throws in
            _ = try await browser.client.issue()
            let page = try await page(browser, "/admin/")
            let cards = page.matches(of: #/<dt>([^<]+)</dt><dd><a href="([^"]+)">(\d+)</a></dd>/#)
            #expect(
                cards.map { String($0.1) } == [
                    "Login tokens issued", "Login tokens redeemed", "Login tokens refused", "Login tokens used twice",
                    "Live sessions",
                ])
            let types = ["issued", "redeemed", "refused", "replayed"]
            for (card, type) in zip(cards, types) {
                #expect(card.2.hasPrefix("/admin/events?type=login_token.\(type)&from="))
                let found = try await self.page(browser, String(card.2))
                #expect(found.matches(of: /<tr( class="failed")?><td>/).count == Int(card.3))
            }
        }
    }
}
