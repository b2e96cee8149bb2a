import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BridgeHTTP

/// Where the cookies that an exchange gave to a web view count (contract §5.4, §6, §16.3).
@Suite struct OriginReaderTests {
    /// A website that gets cookies, and where they count.
    struct Row: Sendable, CustomTestStringConvertible {
        let why: String
        let origin: String?
        var domain: String?
        var profile = Client.CookieProfile.tokens
        /// Whether they open pages of the user's account besides.
        let isOurs: Bool
        /// Of ``OriginReaderTests/hosts``.
        let counts: Set<String>

        var testDescription: String { why }
    }

    static let hosts: Set = [
        "api.va.test", "auth.va.test", "www.va.test", "va.test", "WWW.va.test:443", "shop.test", "www.other.test",
        "nobody.test",
    ]

    private static let ours: Set = ["api.va.test", "auth.va.test", "nobody.test"]
    private static let ofDomain: Set = ["api.va.test", "auth.va.test", "www.va.test", "va.test", "WWW.va.test:443"]

    static let rows = [
        Row(why: "at our own origin", origin: nil, isOurs: true, counts: ours.union(["va.test", "shop.test"])),
        Row(
            why: "at our own origin, which it names", origin: "https://api.va.test", isOurs: true,
            counts: ours.union(["va.test", "shop.test"])),
        Row(why: "of another domain", origin: "https://www.other.test", isOurs: false, counts: ["www.other.test"]),
        Row(
            why: "of another domain, with the other profile", origin: "https://www.other.test", profile: .session,
            isOurs: false, counts: ["www.other.test"]),
        Row(
            why: "of another domain, which it shares", origin: "https://www.other.test", domain: ".other.test",
            isOurs: false, counts: ["www.other.test"]),
        Row(
            why: "of a domain that is ours too", origin: "https://www.va.test", domain: ".va.test", isOurs: true,
            counts: ofDomain.union(["nobody.test", "shop.test"])),
        Row(
            why: "of our domain, which it does not share", origin: "https://www.va.test", isOurs: false,
            counts: ["www.va.test", "WWW.va.test:443"]),
        Row(
            why: "whose cookies have no domain after all", origin: "https://www.va.test", domain: "va.test",
            profile: .session, isOurs: false, counts: ["www.va.test", "WWW.va.test:443"]),
        Row(
            why: "of another domain that names ours", origin: "https://www.other.test", domain: "va.test",
            isOurs: false, counts: ofDomain.union(["www.other.test"])),
    ]

    @Test(arguments: rows)
    func `cookies for a web view count where they were given to`(row: Row) throws {
        var view = Client(id: "view", name: "View", kind: .web, publicOrigin: row.origin.flatMap(WebOrigin.init))
        view.delivery = .cookies
        view.cookieProfile = row.profile
        view.cookieDomain = row.domain
        let app = Client(id: "app", name: "App", kind: .native, mayReach: ["shop"])
        let others = [("www", "www.va.test"), ("other", "www.other.test"), ("shop", "shop.test")].map { name, host in
            Client(
                id: ClientID(rawValue: name), name: name, kind: .web, publicOrigin: WebOrigin("https://\(host)"))
        }
        let reader = OriginReader(
            configured: Origins(
                website: try #require(WebOrigin("https://api.va.test")), issuer: WebOrigin("https://auth.va.test")),
            clients: Reloadable(ClientDirectory([view, app] + others, defaultTarget: nil)))
        let session = Self.session(of: view)
        #expect(reader.isKeptElsewhere(session) == !row.isOurs)
        #expect(Self.hosts.filter { reader.admits(session, at: Self.request(to: $0)) } == row.counts)
    }

    @Test func `cookies for a web view of a website that is gone count nowhere`() throws {
        let reader = OriginReader(
            configured: Origins(website: try #require(WebOrigin("https://api.va.test"))),
            clients: Reloadable(ClientDirectory([], defaultTarget: nil)))
        let session = Self.session(of: Client(id: "view", name: "View", kind: .web))
        #expect(reader.isKeptElsewhere(session))
        #expect(Self.hosts.allSatisfy { !reader.admits(session, at: Self.request(to: $0)) })
    }

    private static func session(of view: Client) -> WebSession {
        let began = Timestamp(seconds: 1_000_000)
        let lineage = Lineage(
            stored: "alice", opening: .tokenExchange, ancestry: [.authorize], parent: .none, scope: nil,
            authentication: Authentication(), expiresAt: began + .seconds(3600))
        return WebSession(
            id: "session", secretDigest: "digest", lineage: lineage, clientID: view.id, appClientID: "app",
            createdAt: began, idleLifetime: .seconds(600), lastSeenAt: began)
    }

    private static func request(to host: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: host, path: "/auth/check"),
            body: RequestBody(buffer: ByteBuffer()))
    }
}
