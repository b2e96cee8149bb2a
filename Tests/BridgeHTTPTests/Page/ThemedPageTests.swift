import Bridge
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import BridgeHTTP

/// Whose looks a page has, and what they cannot change.
@Suite struct ThemedPageTests {
    private static let sheet = "/assets/accent-7a1f5c-ff9ad5.css"

    private func confirm(
        _ website: String, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.redeem(
            try await client.issue(#"{"client_id":"\#(website)"}"#).token, [.name("Sec-Purpose"): "prefetch"])
    }

    @Test func `the page before a redemption has the looks of the token's website`() async throws {
        try await TestBridge.run { _, client in
            let page = try await confirm("dressed", client).text
            #expect(page.contains("Needle &amp; Thread</span>") && page.contains("· Needle &amp; Thread</title>"))
            #expect(page.contains(#"<link rel="stylesheet" href="\#(Self.sheet)">"#))
            let plain = try await confirm("careful", client).text
            #expect(plain.contains("Example</span>") && !plain.contains("accent-"))
        }
    }

    @Test func `a theme changes no header, no word and no order of the question whose account goes on`() async throws {
        try await TestBridge.run { _, client in
            func question(_ website: String) async throws -> TestResponse {
                let alice = try await client.signIn("alice")
                let token = try await client.issue(#"{"client_id":"\#(website)"}"#, for: "bob").token
                return try await client.redeem(token, Visitor.navigation(cookie: alice))
            }
            let (dressed, plain) = (try await question("dressed"), try await question("tolerant"))
            #expect(dressed.text.contains("Needle") && dressed.text.contains("confirm_switch"))
            for name in [HTTPField.Name.contentSecurityPolicy, .name("X-Frame-Options"), .name("Referrer-Policy")] {
                #expect(dressed.headers[name] == plain.headers[name])
            }
            func bare(_ page: String) -> String {
                page.replacing("Needle &amp; Thread", with: "Example")
                    .replacing(#"<link rel="stylesheet" href="\#(Self.sheet)">"# + "\n", with: "")
                    .replacing(#/value="[^"]*"/#, with: "value").replacing(#/<code>[^<]*<\/code>/#, with: "code")
            }
            #expect(bare(dressed.text) == bare(plain.text))
        }
    }

    @Test func `refusals look the same whatever the token is, not as its website does`() async throws {
        try await TestBridge.run { bridge, client in
            let expired = try await client.issue(#"{"client_id":"dressed"}"#).token
            bridge.clock.advance(by: .seconds(61))
            func refusal(_ token: String) async throws -> String {
                try await client.redeem(token).text.replacing(#/<code>[^<]*<\/code>/#, with: "code")
            }
            let page = try await refusal(expired)
            let other = try await refusal("x.y.z")
            #expect(page == other)
            #expect(page.contains("Example</span>") && !page.contains("accent-"))
        }
    }

    @Test func `a stylesheet of two colours is served to anybody, and sets nothing else`() async throws {
        try await TestBridge.run { _, client in
            let sheet = try await client.send(.get, Self.sheet)
            #expect(sheet.headers[.contentType] == "text/css; charset=utf-8" && sheet.headers[.eTag] != nil)
            #expect(
                sheet.text == """
                    :root { --accent: #7a1f5c; --accent-strong: #62194a; }
                    @media (prefers-color-scheme: dark) {
                        :root { --accent: #ff9ad5; --accent-strong: #ffb8e2; }
                    }

                    """)
        }
    }

    @Test(arguments: [
        "accent-ffffff-ffffff.css", "accent-7a1f5c-000000.css", "accent-7a1f5c.css", "accent-7a1f5c-ff9ad5-000000.css",
        "accent-7a1f5g-ff9ad5.css", "accent-7a1f5c-ff9ad5.js", "accent-.css", "accent-7a1f5c-ff9ad5%3B%7D.css",
    ])
    func `no other stylesheet comes of a name`(name: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/assets/\(name)")
            #expect(answer.status == .notFound)
        }
    }

    @Test func `contrast is measured on what the stylesheet has`() throws {
        let sheet = String(
            decoding: try #require(PublicFiles.embedded.section("assets")["drawbridge.css"]), as: UTF8.self)
        func colours(_ scheme: Substring) -> [String: Colour] {
            let pairs = scheme.matches(of: #/--([a-z-]+): (#[0-9a-f]{6});/#).compactMap { match in
                Colour(String(match.2)).map { (String(match.1), $0) }
            }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
        let parts = sheet.split(separator: "@media (prefers-color-scheme: dark)")
        for (scheme, text) in zip([ColourScheme.light, .dark], parts) {
            let found = colours(text)
            #expect(scheme.surfaces == ["ground", "card", "notice"].compactMap { found[$0] }, "\(scheme)")
            // A button's text is at least as far from its colour as a card is.
            let accent = try #require(found["accent"])
            let (card, onAccent) = (try #require(found["card"]), try #require(found["on-accent"]))
            #expect(accent.contrast(with: onAccent) >= accent.contrast(with: card))
            #expect(scheme.worst(for: accent).contrast >= ColourScheme.leastContrast)
        }
    }
}
