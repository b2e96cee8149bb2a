import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

/// An authorization request that a browser sends before its user wants it.
@Suite struct PrefetchedAuthorizationTests {
    @Test(arguments: [("Sec-Purpose", "prefetch;prerender"), ("Purpose", "prefetch"), ("X-Moz", "prefetch")])
    func `contract §5.7: what looks ahead gets no code, and takes nothing from the visit after it`(
        name: String, value: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let address = "https://app.example.com/callback"
            let uri = try RedirectURI(registering: address, rules: RedirectURIRules(isNative: true))
            bridge.services.clients.change("app") {
                $0.redirectURIs = [uri]
                $0.isFirstParty = true
                $0.rejectsReusedChallenge = true
            }
            let browser = TestBrowser(client)
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let ahead = TestBrowser(client)
            for (cookie, value) in browser.cookies { ahead.hold(cookie, value) }
            ahead.send(name, value)

            let refused = try await ahead.get(AuthorizeURL.make(redirect: address))
            #expect(refused.status == .forbidden && refused.headers[.location] == nil)
            #expect(refused.headers[.cacheControl] == "no-store")
            #expect(refused.headers[.contentType]?.hasPrefix("text/html") == true)
            let events = try await bridge.storage.search(AuditFilter(), before: nil, limit: 100).records.map(\.event)
            #expect(!events.contains { $0.type.rawValue.hasPrefix("authorization_") })
            let answer = try await browser.get(AuthorizeURL.make(redirect: address)).redirect()
            #expect(answer["code"] != nil && answer["error"] == nil)
        }
    }
}
