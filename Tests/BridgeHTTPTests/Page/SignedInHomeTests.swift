import Bridge
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

@testable import BridgeHTTP

/// What pages that go wrong say to somebody who is signed in.
@Suite struct SignedInHomeTests {
    private static let toAccount = #"href="/account" id="home">Your account</a>"#
    private static let toSignIn = "Go to sign-in"
    /// What a form may fail with, and whether nobody knows then what became of it.
    private static let failures: [(any Error, Bool)] = [
        (StorageError.unavailable("away"), false), (StorageError.undecided("the answer was lost"), true),
        (CancellationError(), true),
    ]

    @Test(arguments: ["/session/signed-out", "/session/signed-out?extent=all"])
    func `the signed-out page tells nobody so who is signed in`(path: String) async throws {
        try await TestBridge.run { _, client in
            let nobody = try await client.send(.get, path)
            #expect(nobody.text.contains("You are signed out") && nobody.text.contains(Self.toSignIn))
            let cookie = try await client.signIn()
            let page = try await client.send(.get, path, [.cookie: cookie])
            #expect(page.text.contains("<h1>You are signed in</h1>") && page.text.contains(Self.toAccount))
            #expect(!page.text.contains("You are signed out") && !page.text.contains(Self.toSignIn))
            _ = try await client.send(
                .post, "/session/logout", [.cookie: cookie, .name("Sec-Fetch-Site"): "same-origin"])
            let after = try await client.send(.get, path, [.cookie: cookie])
            #expect(after.text.contains("You are signed out"))
        }
    }

    @Test(arguments: ["/login-with-token?token=no.such.token", "/nowhere", "/oauth/authorize?client_id=nobody"])
    func `a page that says no leads those who are signed in to their account`(path: String) async throws {
        try await TestBridge.run { _, client in
            let nobody = try await client.send(.get, path, Visitor.navigation(more: [.accept: "text/html"]))
            #expect(nobody.text.contains(Self.toSignIn) && !nobody.text.contains(Self.toAccount))
            let cookie = try await client.signIn()
            let page = try await client.send(
                .get, path, Visitor.navigation(cookie: cookie, more: [.accept: "text/html"]))
            #expect(page.status == nobody.status && page.text.contains(Self.toAccount))
            #expect(!page.text.contains(Self.toSignIn))
        }
    }

    @Test(arguments: [
        ("/login-with-token?token=", "your link has not been used up"), ("/account", "This is not available right now"),
    ])
    func `a store that is away is told of as what it keeps from the visitor`(path: String, words: String) async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let cookie = try await client.signIn()
            try await bridge.storage.close()
            let isLink = path.hasSuffix("=")
            let page = try await client.send(
                .get, isLink ? path + token : path, Visitor.navigation(cookie: isLink ? nil : cookie))
            #expect(page.status == .serviceUnavailable && page.text.contains(words))
            #expect(page.text.contains("has not been used up") == isLink)
            // The link first, which is still good; not a sign-in in its place.
            #expect(page.text.contains(#"<a class="button" href="" id="again">Try again</a>"#))
            #expect(page.text.contains(#"<a class="button second" href="https://www.example/sign-in">"#))
        }
    }

    @Test func `a sign-in that is away can be asked for again, and a form leads to its page`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            let form = try await browser.get("/sign-in")
            try await bridge.storage.close()
            let posted = try await browser.signIn(on: form)
            #expect(posted.status == .serviceUnavailable && !posted.text.contains(#"id="again""#))
            #expect(posted.text.contains(#"<a class="button" href="https://www.example/sign-in">"#))
        }
        // Where the sign-in is what is away, nothing leads from it to itself but the same address.
        #expect(Pages.waysOn(past: .signIn, byAddress: true) == ["can_try_again": true, "leads_to_sign_in": false])
    }

    @Test(arguments: [
        ("/account/password", "/account/password"), ("/session/logout", "/session/logout"),
        ("/admin/new-user", "/admin/new-user"), ("/admin/users/bob/names", "/admin/users/bob"),
    ])
    func `a form that a store was away for says what became of it, and leads to its page`(
        path: String, page: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            let cookie = try await client.signIn()
            try await bridge.storage.close()
            let headers = Visitor.navigation(site: "same-origin", cookie: cookie, more: [.accept: "text/html"])
            let answer = try await client.post([("form_token", "x")], headers, to: path)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.text.contains("As a rule, nothing was changed."))
            #expect(answer.text.contains("data-sends-again hidden>Send it again</button>"))
            let back = "href=\"\(page)\" id=\"back\">Back</a>"
            #expect(answer.text.replacing("&#x2F;", with: "/").contains(back))
            #expect(!answer.text.contains(Self.toSignIn))
        }
    }

    @Test(arguments: SignedInHomeTests.failures)
    func `of a form nobody knows what became unless its store says that it changed nothing`(
        error: any Error, mayBeDone: Bool
    ) {
        #expect(FailedForm(page: "/account/password", after: error).mayBeDone == mayBeDone)
    }

    @Test(arguments: [
        ("/go", Unavailable.link), ("/sign-in", .signIn), ("/v0/sign_in/authorize", .signIn),
        ("/session/sign-in", .signIn), ("/admin/sign-out", .page), ("/oauth/authorize", .signIn),
        ("/oauth/logout", .page), ("/account", .page), ("/nowhere", .page),
    ])
    func `a sign-in is called so wherever it is, and a sign-out is none`(path: String, offer: Unavailable) {
        let shapes = ErrorShapes(declared: RouteTable.shapes(redemptionPaths: ["/go"]))
        #expect(shapes.unavailable(at: path) == offer)
    }

    @Test func `the page without a token offers to stay to those who are signed in, and uses nothing`() async throws {
        try await TestBridge.run { bridge, client in
            let nobody = try await client.send(.get, "/login-with-token", Visitor.navigation())
            #expect(nobody.text.contains("or this page was loaded again") && !nobody.text.contains(#"id="stay""#))
            #expect(nobody.text.contains("<title>This link needs JavaScript"))
            let cookie = try await client.signIn()
            let page = try await client.send(.get, "/login-with-token", Visitor.navigation(cookie: cookie))
            #expect(
                page.text.contains(
                    #"href="https://bridge.example/contacts" id="stay">Stay signed in as alice</a>"#))
            let token = try await client.issue().token
            let asked = try await client.send(
                .get, "/login-with-token?token=\(token)", Visitor.navigation(site: "cross-site", cookie: cookie))
            #expect(asked.text.contains("<title>Continue to the website") && !asked.text.contains(#"id="stay""#))
        }
    }
}
