import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BridgeHTTP

/// What a browser keeps of an answer that sets cookies of the profile `tokens` and takes others away (contract §4.3).
@Suite struct TakenCookieTests {
    @Test(
        arguments: [
            (nil, nil, 1), (".example.com", ".example.com", 1), (".Example.com", "example.com", 1),
            (nil, ".example.com", 3), (".example.com", nil, 3),
        ] as [(String?, String?, Int)])
    func `what the answer sets stays, whichever client of the same prefix loses its cookies`(
        earlier: String?, later: String?, taken: Int
    ) async throws {
        try await TestBridge.run { bridge, _ in
            let websites = [Self.website("earlier", domain: earlier), Self.website("later", domain: later)]
            var headers: HTTPFields = [:]
            TokenCookies.set(Self.cookies(of: websites[1]), at: bridge.clock.now, in: &headers)
            let set = Self.kept(of: headers)
            #expect(set.count == 4)
            Self.signOut(of: websites, bridge).takeCookies(of: "earlier", prefix: "site_", in: &headers)
            #expect(Self.kept(of: headers) == set)
            // The refresh cookie of the other path, and those of another domain.
            #expect(headers[values: .setCookie].count == 4 + taken)
        }
    }

    @Test func `what clients of one prefix have in common is taken away once`() async throws {
        try await TestBridge.run { bridge, _ in
            let websites = [Self.website("earlier"), Self.website("later", domain: ".example.com")]
            var headers: HTTPFields = [:]
            Self.signOut(of: websites, bridge).takeCookies(of: nil, prefix: "site_", in: &headers)
            let places = headers[values: .setCookie].map(Self.place)
            #expect(places.count == 7)
            #expect(Set(places).count == 7)
        }
    }

    /// What comes with a request to `bridge.example`, the domain of one client of the prefix, and whether answers of
    /// its kind are frequent; how many lines take cookies away.
    struct Shadows: Sendable {
        let carried: String?
        let domain: String
        let isOften: Bool
        let taken: Int
    }

    @Test(arguments: [
        Shadows(carried: nil, domain: ".bridge.example", isOften: false, taken: 0),
        Shadows(carried: "other_access_token=a", domain: ".bridge.example", isOften: false, taken: 0),
        Shadows(carried: "site_access_token=a", domain: ".bridge.example", isOften: true, taken: 1),
        Shadows(
            carried: "site_access_token=a; site_info_token=a", domain: ".bridge.example", isOften: true, taken: 2),
        // The host does not lie in it.
        Shadows(carried: "site_access_token=a; site_info_token=a", domain: ".shop.example", isOften: true, taken: 0),
        // There is one of a domain that no client has any more, or may be.
        Shadows(
            carried: "site_access_token=a; site_access_token=b", domain: ".shop.example", isOften: true, taken: 1),
        Shadows(
            carried: "site_access_token=a; site_info_token=a; site_anti_csrf_token=c", domain: ".shop.example",
            isOften: false, taken: 2),
        // Without the host's own it may be another program's.
        Shadows(carried: "site_access_token=a; site_info_token=a", domain: ".shop.example", isOften: false, taken: 0),
        // They are the host's alone, whatever the domain is.
        Shadows(
            carried: "site_anti_csrf_token=a; site_refresh_token=b", domain: ".bridge.example", isOften: true,
            taken: 0),
    ])
    func `what has a new cookie's name and another domain is taken away, where the browser may have it`(
        row: Shadows
    ) async throws {
        try await TestBridge.run { bridge, _ in
            let websites = [Self.website("host"), Self.website("domain", domain: row.domain)]
            let signOut = Self.signOut(of: websites, bridge)
            var headers: HTTPFields = [:]
            TokenCookies.set(Self.cookies(of: websites[0]), at: bridge.clock.now, in: &headers)
            let set = Self.kept(of: headers)
            let request = Self.request(carrying: row.carried, to: "bridge.example")
            signOut.takeShadows(prefix: "site_", isOften: row.isOften, request, in: &headers)
            #expect(Self.kept(of: headers) == set)
            #expect(headers[values: .setCookie].count == 4 + row.taken)
        }
    }

    private static func request(carrying cookies: String?, to host: String) -> Request {
        var head = HTTPRequest(method: .post, scheme: "https", authority: host, path: "/session/refresh")
        head.headerFields[.cookie] = cookies
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private static func website(_ id: ClientID, domain: String? = nil) -> Client {
        var client = Client(id: id, name: id.rawValue, kind: .web)
        client.cookieProfile = .tokens
        client.cookiePrefix = "site_"
        client.cookieDomain = domain
        return client
    }

    private static func cookies(of client: Client) -> [TokenCookie] {
        CookieTokens.cleared(of: client, refreshPaths: [CookieTokens.refreshPath]).map {
            TokenCookie(
                name: $0.name, value: Secret("new"), path: $0.path, domain: $0.domain, maximumAge: .seconds(60),
                isHTTPOnly: $0.isHTTPOnly)
        }
    }

    private static func signOut(of websites: [Client], _ bridge: TestBridge) -> BrowserSignOut {
        BrowserSignOut(
            browsers: bridge.services.browserSessions(at: bridge.settings.origins),
            endings: bridge.services.browsers.endings,
            clients: Reloadable(ClientDirectory(websites, defaultTarget: nil)),
            refreshPaths: [CookieTokens.refreshPath, "/v0/sign_in/refresh"], time: TimeSource { bridge.clock.now })
    }

    /// Takes the lines in their order (RFC 6265 §5.3).
    private static func kept(of headers: HTTPFields) -> [String: String] {
        var jar: [String: String] = [:]
        for line in headers[values: .setCookie] {
            let value = line.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst()
            jar[place(line)] = attribute("Max-Age", of: line) == "0" ? nil : String(value)
        }
        return jar
    }

    private static func place(_ line: String) -> String {
        let domain = attribute("Domain", of: line).drop { $0 == "." }.lowercased()
        return "\(line.prefix { $0 != "=" }) \(attribute("Path", of: line)) \(domain)"
    }

    private static func attribute(_ name: String, of line: String) -> String {
        let found = line.split(separator: "; ").dropFirst().first { $0.hasPrefix("\(name)=") }
        return found.map { String($0.dropFirst(name.count + 1)) } ?? ""
    }
}
