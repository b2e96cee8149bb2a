import OAuth2
import Testing

@testable import Bridge

/// Contract §4.3, "Target".
@Suite struct LandingTests {
    private let own: WebOrigin
    private let site: Client

    init() throws {
        own = try #require(WebOrigin("https://bridge.example"))
        site = try #require(try testClients().first { $0.id == website })
    }

    private func land(_ parameter: RedemptionRequest.RedirectParameter, sealed: String? = nil, on client: Client? = nil)
        throws -> Landing
    {
        try #require(Landing.decide(parameter, sealed: sealed, website: client ?? site, ownOrigin: own))
    }

    private func bytes(_ text: String) -> RedemptionRequest.RedirectParameter { .bytes(Array(text.utf8)) }

    @Test func `without a redirect it lands on the default page`() throws {
        #expect(try land(.absent) == Landing(location: "https://bridge.example/contacts", refusal: nil))
    }

    @Test func `a listed redirect is followed with its query`() throws {
        #expect(try land(bytes("/account/a?b=c")).location == "https://bridge.example/account/a?b=c")
    }

    @Test func `a bare trailing question mark is dropped`() throws {
        #expect(try land(bytes("/contacts?")).location == "https://bridge.example/contacts")
    }

    @Test func `the website's public origin is used when it has one`() throws {
        let shop = try #require(try testClients().first { $0.id == "confirming" })
        #expect(try land(.absent, on: shop).location == "https://shop.example/")
    }

    @Test(arguments: [
        ("https://evil.example/", ReturnPathRefusal.malformed), ("/admin", .notListed),
        ("/" + String(repeating: "a", count: 1024), .tooLong),
    ])
    func `a refused redirect lands on the default page with its reason`(input: String, reason: ReturnPathRefusal) throws
    {
        let landing = try land(bytes(input))
        #expect(landing.location == "https://bridge.example/contacts")
        #expect(landing.refusal?.reason == reason)
    }

    @Test func `a repeated redirect lands on the default page, and its first value is kept`() throws {
        let detail = #"{"length":12,"path":"/account/a"}"#
        #expect(
            try land(.repeated(first: Array("/account/a?b".utf8)))
                == Landing(
                    location: "https://bridge.example/contacts", refusal: .init(reason: .repeated, detail: detail)))
    }

    @Test func `the sealed target wins, and a different redirect is recorded`() throws {
        let landing = try land(bytes("/contacts"), sealed: "/account/x?y=z")
        #expect(landing.location == "https://bridge.example/account/x?y=z")
        #expect(landing.refusal?.reason == .differsFromSealed)
        #expect(try land(bytes("//evil.example"), sealed: "/account/x").refusal?.reason == .differsFromSealed)
        #expect(try land(.repeated(first: []), sealed: "/account/x").refusal?.reason == .repeated)
    }

    @Test func `the sealed target repeated in the URL is nothing to record`() throws {
        #expect(try land(bytes("/account/x"), sealed: "/account/x").refusal == nil)
        #expect(try land(.absent, sealed: "/account/x").refusal == nil)
    }

    @Test func `a sealed target that is not listed any more lands on the default page`() throws {
        let landing = try land(.absent, sealed: "/gone")
        #expect(landing.location == "https://bridge.example/contacts")
        #expect(landing.refusal?.reason == .notListed)
    }

    @Test(arguments: [
        ("https://rp.example/login", "https://rp.example/login?"),
        ("https://rp.example/login?", "https://rp.example/login?"),
        ("https://rp.example/login?a=b", "https://rp.example/login?a=b&"),
    ])
    func `contract §4.5: the page is told after the query of the website's own way to sign in`(
        uri: String, beginning: String
    ) throws {
        var website = site
        website.landing = .initiateLogin
        website.initiateLoginURI = uri
        let landing = Landing.decide(.absent, sealed: nil, website: website, ownOrigin: own, issuer: own)
        let query = "iss=https%3A%2F%2Fbridge.example&target_link_uri=https%3A%2F%2Fbridge.example%2Fcontacts"
        #expect(landing == Landing(location: beginning + query, refusal: nil))
    }

    @Test func `a website without paths has nowhere to land`() {
        let bare = Client(id: "bare", name: "Bare", kind: .web)
        #expect(Landing.decide(.absent, sealed: nil, website: bare, ownOrigin: own) == nil)
    }

    @Test func `a refused redirect leaves its length and the first bytes of its path, never its query`() {
        let long = "/" + String(repeating: "p", count: 100) + "?token=secret"
        let detail = RefusedRedirect.detail(Array(long.utf8))
        #expect(detail == #"{"length":114,"path":"\#("/" + String(repeating: "p", count: 63))"}"#)
        #expect(RefusedRedirect.detail(Array("/a?q=secret".utf8)) == #"{"length":11,"path":"/a"}"#)
        #expect(RefusedRedirect.detail([0x2F, 0x0A, 0xFF, 0x5C]) == #"{"length":4,"path":"/\\x0a\\xff\\x5c"}"#)
    }

    @Test func `a refused redirect with a secret in its path leaves its length alone`() {
        let secret = OpaqueSecret.make(.webSession, random: .system).expose()
        let token = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + ".e30.c2ln"
        for path in [secret, "/account/\(secret)?a=b", "/x;t=\(token)", "https://evil.example/\(token)#f"] {
            #expect(RefusedRedirect.detail(Array(path.utf8)) == #"{"length":\#(path.utf8.count)}"#)
        }
        #expect(
            RefusedRedirect.detail(Array("/com.example.app/v1.2".utf8))
                == #"{"length":21,"path":"/com.example.app/v1.2"}"#)
    }
}
