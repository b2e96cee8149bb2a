import Bridge
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@testable import BridgeHTTP

/// Where a link that sets a password leads.
@Suite struct SetUpLinkTests {
    private static let password = "a better pudding"

    /// The answer to whoever sets alice's password by a link.
    /// - Parameter afterPage: what happens between the page and its form.
    private func setUp(
        _ bridge: TestBridge, _ browser: TestBrowser, afterPage: () async throws -> Void = {}
    ) async throws -> TestResponse {
        let action = AdminAction(actor: .login("root"), origin: nil, at: bridge.clock.now)
        let link = try #require(try await bridge.services.signIn.account.passwords.invite("alice", action: action))
        let page = try await browser.get("/account/set-up?link=\(PercentEncoding.encode(link.expose()))")
        try await afterPage()
        return try await browser.post(
            "/account/set-up", page.fields + [("new_password", Self.password), ("again", Self.password)])
    }

    @Test func `a link that is none any more leads to the sign-in, contract §11`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            for link in ["", "?link=made-up"] {
                let page = try await browser.get("/account/set-up\(link)")
                #expect(page.status == .badRequest && page.text.contains(">Go to sign-in</a>"))
            }
            let action = AdminAction(actor: .login("root"), origin: nil, at: bridge.clock.now)
            let link = try #require(try await bridge.services.signIn.account.passwords.invite("alice", action: action))
            let page = try await browser.get("/account/set-up?link=\(PercentEncoding.encode(link.expose()))")
            #expect(page.status == .ok && !page.text.contains("Go to sign-in"))
        }
    }

    @Test func `while a store is away its form leads to no page of the account, which its user could not open`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let answer = try await setUp(bridge, TestBrowser(client)) { try await bridge.storage.close() }
            #expect(answer.status == .serviceUnavailable && answer.text.contains("Send it again"))
            #expect(!answer.text.contains(#"id="back""#))
        }
    }

    @Test func `whoever sets a password by a link in a known browser signs in there, however many strangers guess`()
        async throws
    {
        try await TestBridge.run(limiter: InProcessRateLimiter(clock: .parameter)) { bridge, client in
            try await TestAccounts.add(to: bridge)
            let (own, stranger) = (TestBrowser(client), TestBrowser(client))
            let first = try await own.signIn(on: own.get("/sign-in"))
            #expect(first.status == .seeOther)
            var guess = first
            for _ in 0..<6 {
                guess = try await stranger.signIn(on: stranger.get("/sign-in"), password: "wrong")
            }
            #expect(guess.status == .tooManyRequests)
            let page = try await own.follow(setUp(bridge, own))
            let landed = try await own.signIn(on: page, password: Self.password)
            #expect(landed.status == .seeOther)
        }
    }

    @Test func `whoever has set a password is told so, and signs in with it, whosever the browser's session is`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            let other = try await browser.signIn(on: browser.get("/sign-in"), as: "bob")
            #expect(other.status == .seeOther)
            let page = try await browser.follow(setUp(bridge, browser))
            #expect(page.status == .ok && page.text.contains("<title>Sign in"))
            #expect(page.text.contains(#"class="notice whole" role="status" id="notice">Your password is set."#))
            #expect(page.text.contains("to open your account") && !page.text.contains("came from an app"))
            #expect(!page.text.contains(" readonly"))
            let wrong = try await browser.signIn(on: page)
            #expect(wrong.status == .badRequest && wrong.text.contains(#"class="notice" role="alert" id="notice""#))
            #expect(!wrong.text.contains("Your password is set."))
            let landed = try await browser.signIn(on: wrong, password: Self.password)
            #expect(landed.headers[.location] == "https://bridge.example/account")
        }
    }
}
