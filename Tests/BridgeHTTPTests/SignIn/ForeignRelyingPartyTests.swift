import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Testing

/// What a login token opens in an authorization request of somebody else's relying party, whose server may have sent it
/// itself (contract §4.5, §16.3).
@Suite struct ForeignRelyingPartyTests {
    private static let callback = "https://app.example.com/callback"

    /// `web` is a relying party elsewhere, `tolerant` is one of the operator's own; the app may open both.
    private func run(
        isFirstParty: Bool = false, _ body: @Sendable (TestBrowser) async throws -> Void
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let uri = try RedirectURI(registering: Self.callback, rules: RedirectURIRules(isNative: false))
            bridge.services.clients.change("web", "tolerant") {
                $0.redirectURIs = [uri]
                $0.isFirstParty = isFirstParty || $0.id == "tolerant"
            }
            try await body(TestBrowser(client))
        }
    }

    private func request(of client: String, _ more: String) -> String {
        AuthorizeURL.make(client, redirect: Self.callback, more: more)
    }

    @Test(arguments: [false, true])
    func `attack: its session is nobody's at other websites, unless the operator says that it is its own`(
        isFirstParty: Bool
    ) async throws {
        try await run(isFirstParty: isFirstParty) { browser in
            let token = try await browser.client.issue().token
            let opened = try await browser.get(request(of: "web", "&login_token=\(token)"))
            #expect(opened.status == (isFirstParty ? .seeOther : .ok), "a code, or the question about consent")
            #expect(try await browser.get("/session").text("sub") == (isFirstParty ? "alice" : nil))
            #expect(try await browser.get("/auth/check").status == (isFirstParty ? .ok : .unauthorized))
            #expect(try await browser.get("/account").status == (isFirstParty ? .ok : .seeOther))
            let other = try await browser.get(request(of: "tolerant", "&prompt=none")).redirect()
            #expect((other["code"] != nil) == isFirstParty)
            #expect(other["error"] == (isFirstParty ? nil : "login_required"))
            let own = try await browser.get(request(of: "web", "&prompt=none")).redirect()
            #expect((own["code"] != nil) == isFirstParty)
            #expect(own["error"] == (isFirstParty ? nil : "consent_required"), "somebody is signed in there")
        }
    }

    @Test func `its user is asked before another client's token of another user takes the place`() async throws {
        try await run { browser in
            let token = try await browser.client.issue().token
            _ = try await browser.get(request(of: "web", "&login_token=\(token)"))
            let bobs = try await browser.client.issue(#"{"client_id":"tolerant"}"#, for: "bob").token
            for _ in 1...2 {
                let question = try await browser.get(request(of: "tolerant", "&login_token=\(bobs)"))
                #expect(question.text.contains("Continue as bob"), "nothing was switched before")
            }
        }
    }
}
