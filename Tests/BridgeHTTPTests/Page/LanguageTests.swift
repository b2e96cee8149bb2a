import HTTPTypes
import HummingbirdTesting
import Testing

@testable import BridgeHTTP

/// How a visitor chooses the language of the pages (docs/languages.md).
@Suite struct LanguageTests {
    private static let ownPage: HTTPFields = [.secFetchSite: "same-origin"]

    @Test func `a choice is kept in a cookie of this host, and the same page comes again`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(
                .get, "/session/language?language=fr&again=%2Fsign-in%3Fredirect%3D%252Faccount", Self.ownPage)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/sign-in?redirect=%2Faccount")
            let cookie = answer.headers[.setCookie] ?? ""
            #expect(cookie.hasPrefix("__Host-drawbridge_language=fr; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age="))
        }
    }

    @Test func `what a visitor chose goes before what the browser and the app ask for`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(
                .get, "/session/signed-out", [.acceptLanguage: "de", .cookie: "__Host-drawbridge_language=ja"])
            #expect(page.text.contains("<html lang=\"ja\">"))
            #expect(page.headers[.vary] == "Accept-Language, Cookie")
        }
    }

    @Test func `a language that there is not any more is no choice`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(
                .get, "/session/signed-out", [.acceptLanguage: "de", .cookie: "__Host-drawbridge_language=tlh"])
            #expect(page.text.contains("<html lang=\"de\">"))
        }
    }

    static let refused = [
        "language=tlh&again=%2Fsign-in", "language=fr", "again=%2Fsign-in", "",
        "language=fr&again=https%3A%2F%2Fevil.example%2F", "language=fr&again=%2F%2Fevil.example",
        "language=fr&again=%2Flogin-with-token%3Ftoken%3Dx", "language=fr&again=%2Faccount%2Fset-up%3Flink%3Dx",
        "language=fr%0D%0AX%3A%201&again=%2Fsign-in", "language=fr&again=%2Fsign-in%0D%0AX%3A%201",
    ]

    @Test(arguments: refused)
    func `a choice that names another language or no page of ours is refused`(query: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/session/language?\(query)", Self.ownPage)
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.setCookie] == nil && answer.headers[.location] == nil)
        }
    }

    @Test func `another website cannot choose for the visitor`() async throws {
        let headers: HTTPFields = [.secFetchSite: "cross-site"]
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/session/language?language=fr&again=%2Fsign-in", headers)
            #expect(answer.status == .forbidden)
            #expect(answer.headers[.setCookie] == nil)
        }
    }

    @Test(arguments: [
        "/login-with-token?token=x", "/account/set-up?link=x", "/device?user_code=ABCD", "//evil.example", "/", "//",
        "/admin//", "//admin/", "/sign-in/",
        "/sign-in/../x",
        "/%2e%2e/sign-in", "/sign-in\\x", "sign-in", "", "/sign-in#x y", "/nowhere", "/oauth/authorize?request_uri=x",
        "/api/docs", "/api/docs/console",
    ])
    func `a page is shown again only when showing is all that it does`(address: String) {
        #expect(PageAgain(address, RouteTable.repetition) == nil)
    }

    @Test(arguments: [
        "/sign-in", "/sign-in?redirect=%2Faccount", "/account", "/device", "/errors/invalid_grant", "/admin/",
        "/admin/?hours=24",
    ])
    func `pages that only show offer the choice`(address: String) {
        #expect(PageAgain(address, RouteTable.repetition)?.address == address)
    }

    @Test func `the menu names every language in its own words, and no page of one use has it`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/sign-in")
            for name in ["English", "العربية", "Deutsch", "Español", "Français", "日本語"] {
                #expect(page.text.contains(">\(name)</button>"), "\(name)")
            }
            let link = try await client.redeem("abc", [:])
            #expect(!link.text.contains("/session/language"))
        }
    }

    @Test func `Arabic pages run from right to left, and values in them keep their own direction`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/sign-in", [.acceptLanguage: "ar-EG"])
            #expect(page.text.contains("<html lang=\"ar\" dir=\"rtl\">"))
        }
        let texts = try PageTexts(files: PublicFiles.embedded.section("texts"))
        let sentence = texts.text("form_post", "explanation", in: "ar", ["host": "www.example.com"])
        #expect(sentence.contains("\u{2068}www.example.com\u{2069}"))
        #expect(!texts.text("form_post", "explanation", in: "en", ["host": "x"]).contains("\u{2068}"))
    }

    @Test(arguments: [
        ("ar", true), ("ar-EG", true), ("he", true), ("fa-IR", true), ("az-Arab", true), ("ku-Latn", false),
        ("ar-Latn", false), ("en", false), ("ja", false), ("", false),
    ])
    func `the direction follows the language and its script`(tag: String, isRightToLeft: Bool) {
        #expect(TextDirection.isRightToLeft(tag) == isRightToLeft)
    }
}
