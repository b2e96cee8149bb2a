import DrawbridgeClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct WebTests {
    private let device = Device()
    private let page = "https://www.example.com/account"

    private func link(_ url: String) -> ClientAnswer { .json(["token": "t", "login_url": url, "expires_in": 60]) }

    /// Far off: Foundation's storage keeps no cookie that has expired by the machine's own clock.
    private func cookie(
        _ name: String, domain: String? = ".example.com", isHTTPOnly: Bool = true
    ) -> [String: any Sendable] {
        var members: [String: any Sendable] = [
            "name": name, "value": "secret-\(name)", "path": "/", "secure": true, "max_age": 1800,
            "expires": "2100-01-01T00:00:00.000Z", "http_only": isHTTPOnly, "same_site": "Lax",
        ]
        members["domain"] = domain
        return members
    }

    private func described(_ cookies: [[String: any Sendable]]) -> ClientAnswer {
        .json(["cookies": cookies], type: "application/vnd.drawbridge.cookies+json")
    }

    @Test func `a link is asked for with the path, by the app's token`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/api/auth/create-sso-token", link("https://www.example.com/login?token=t"))
        let link = try await device.app().openURL(path: "/contacts", on: "www")
        #expect(link.url.expose().absoluteString == "https://www.example.com/login?token=t")
        #expect(link.expiresAt == Device.now.addingTimeInterval(60))
        let request = try #require(await device.provider.asked("/api/auth/create-sso-token").first)
        #expect(request.bearer == "at_1")
        let sent = try JSONDecoder().decode([String: String].self, from: Data(request.body.utf8))
        #expect(sent == ["redirect": "/contacts", "client_id": "www"])
    }

    @Test func `a link prints as nothing`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/api/auth/create-sso-token", link("https://www.example.com/login?token=t"))
        var dumped = ""
        dump(try await device.app().openURL(), to: &dumped)
        #expect(!dumped.contains("token=t"))
    }

    @Test func `the code of a website that asks for one comes with the link, and prints as nothing`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer(
            "/api/auth/create-sso-token",
            .json([
                "token": "t", "login_url": "https://www.example.com/login?token=t", "expires_in": 60,
                "login_code": "048215",
            ]))
        let link = try await device.app().openURL()
        #expect(link.code?.expose() == "048215")
        var dumped = "\(link)"
        dump(link, to: &dumped)
        #expect(!dumped.contains("048215"))
    }

    @Test(arguments: ["http://www.example.com/login?token=t", "http://127.0.0.1/login", "javascript:alert(1)", ""])
    func `a link to an insecure place is not opened`(_ url: String) async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/api/auth/create-sso-token", link(url))
        let app = try device.app()
        await #expect(throws: ClientError.unexpectedAnswer("no login address to be trusted")) {
            try await app.openURL(path: "/contacts")
        }
    }

    @Test func `a refused path says so`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/api/auth/create-sso-token", .refusal("invalid_redirect"))
        let app = try device.app()
        let error = await #expect(throws: ClientError.self) { try await app.openURL(path: "//evil.example") }
        #expect(error == .refused(OAuthRefusal(code: "invalid_redirect", explanation: "because", requestID: "r1")))
    }

    @Test func `cookies fill a storage, with the attributes that the provider gave`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer(
            "/token", described([cookie("access_token"), cookie("info_token", isHTTPOnly: false)]))
        let url = try #require(URL(string: page))
        let cookies = try await device.app().cookies(for: url, webView: "web-view")
        let form = try #require(await device.provider.asked("/token").last).form
        #expect(form["client_id"] == "web-view")
        #expect(form["subject_token"] == "at_1")
        #expect(form["actor_token"] == "ds_1")
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        cookies.fill(storage)
        let kept = try #require(storage.cookies(for: url)).sorted { $0.name < $1.name }
        #expect(kept.map(\.name) == ["access_token", "info_token"])
        #expect(kept.map(\.value) == ["secret-access_token", "secret-info_token"])
        #expect(kept.map(\.isSecure) == [true, true])
        #expect(cookies.all.map(\.isHTTPOnly) == [true, false])
        #expect(kept.first?.expiresDate == Date(timeIntervalSince1970: 4_102_444_800))
    }

    @Test(arguments: [
        ("https://www.example.com/account", ["ours"]), ("https://id.example.com/", ["ours", "host-only", "sibling"]),
    ])
    func `cookies for other hosts are left out`(_ page: String, _ names: [String]) async throws {
        try await device.signIn(try device.app())
        await device.provider.answer(
            "/token",
            described([
                cookie("ours"), cookie("host-only", domain: nil), cookie("foreign", domain: "evil.example"),
                cookie("sibling", domain: "id.example.com"),
            ]))
        let url = try #require(URL(string: page))
        #expect(try await device.app().cookies(for: url, webView: "web-view").all.map(\.name) == names)
    }

    @Test(arguments: ["https://evil.example/", "https://notexample.com/", "http://www.example.com/"])
    func `no page of another site gets cookies`(_ text: String) async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", described([cookie("access_token")]))
        let url = try #require(URL(string: text))
        let app = try device.app()
        await #expect(throws: ClientError.self) { try await app.cookies(for: url, webView: "web-view") }
    }

    @Test func `an https provider's cookies go to no page on this machine in plain http`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", described([cookie("access_token")]))
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let app = try device.app()
        await #expect(throws: ClientError.configuration("cookies go to https pages alone")) {
            try await app.cookies(for: url, webView: "web-view")
        }
    }

    /// A provider that refuses everything, and names a page about it.
    private struct Refusing: HTTPTransport {
        let page: String

        func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
            .json(["error": "invalid_redirect", "error_uri": page], status: 400)
        }
    }

    @Test(arguments: ["https", "http"])
    func `an https provider's page on this machine in plain http is not trusted`(_ scheme: String) async throws {
        let page = "\(scheme)://127.0.0.1/help"
        let configuration = try ClientConfiguration(issuer: IssuerAddress("https://127.0.0.1"), clientID: "app-a")
        let app = Drawbridge(configuration: configuration, store: device.store, transport: Refusing(page: page))
        let error = await #expect(throws: ClientError.self) { try await app.openURL(bearer: Redacted("t")) }
        let trusted = scheme == "https" ? page : nil
        #expect(error == .refused(OAuthRefusal(code: "invalid_redirect", page: trusted)))
    }

    @Test func `a client that gets no cookies says so`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens())
        let url = try #require(URL(string: page))
        let app = try device.app()
        await #expect(throws: ClientError.unexpectedAnswer("web-view gets no cookies")) {
            try await app.cookies(for: url, webView: "web-view")
        }
    }
}
