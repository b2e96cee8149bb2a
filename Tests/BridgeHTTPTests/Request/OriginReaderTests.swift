import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2
import Testing

@testable import BridgeHTTP

/// Where the cookies that an exchange gave to a web view count, and those that a login link opened (contract §4.3, §5.4, §6,
/// §16.3).
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
        var view = Client(id: "view", name: "View", kind: .web, publicOrigin: row.origin.flatMap(WebOrigin.init(_:)))
        view.delivery = .cookies
        view.cookieProfile = row.profile
        view.cookieDomain = row.domain
        try expect(row.counts, isOurs: row.isOurs, for: view, by: .tokenExchange)
    }

    /// A website that links lead to, and where what they open counts.
    struct Link: Sendable, CustomTestStringConvertible {
        let why: String
        let origin: String?
        var domain: String?
        var page: String?
        var isRelyingParty = false
        var landing = Client.LandingMode.returnPath
        /// Whether it opens pages of the user's account besides.
        let isOurs: Bool
        /// Of ``OriginReaderTests/hosts``.
        let counts: Set<String>

        var testDescription: String { why }
    }

    private static let anywhere = ours.union(["va.test", "shop.test"])

    static let links = [
        Link(why: "at our own origin", origin: nil, isOurs: true, counts: anywhere),
        Link(why: "at our own origin, which it names", origin: "https://api.va.test", isOurs: true, counts: anywhere),
        Link(why: "at another port of our host", origin: "https://api.va.test:8443", isOurs: true, counts: anywhere),
        Link(why: "of another domain", origin: "https://www.other.test", isOurs: false, counts: ["www.other.test"]),
        Link(
            why: "of another domain, which it shares", origin: "https://www.other.test", domain: ".other.test",
            isOurs: false, counts: ["www.other.test"]),
        Link(
            why: "of a domain that is ours too", origin: "https://www.va.test", domain: ".va.test", isOurs: true,
            counts: ofDomain.union(["nobody.test", "shop.test"])),
        Link(
            why: "of a domain that is ours too, with a page of its own", origin: "https://www.va.test",
            domain: ".va.test", page: "/in", isOurs: true, counts: ofDomain.union(["nobody.test", "shop.test"])),
        Link(
            why: "of our domain, which it does not share", origin: "https://www.va.test", isOurs: false,
            counts: ["www.va.test", "WWW.va.test:443"]),
        Link(
            why: "that is a relying party of the operator's own", origin: "https://www.other.test",
            isRelyingParty: true, isOurs: true, counts: anywhere.union(["www.other.test"])),
        Link(
            why: "that is one with a page of its own", origin: "https://www.other.test", page: "/in",
            isRelyingParty: true, isOurs: false, counts: ["www.other.test"]),
        Link(
            why: "with a sign-in of its own", origin: "https://www.other.test", landing: .initiateLogin, isOurs: true,
            counts: anywhere.union(["www.other.test"])),
    ]

    @Test(arguments: links)
    func `contract §16.3: what a login link opened counts where the link led to`(link: Link) throws {
        var website = Client(
            id: "view", name: "View", kind: .web, publicOrigin: link.origin.flatMap(WebOrigin.init(_:)))
        website.cookieProfile = .tokens
        website.cookieDomain = link.domain
        website.redemptionPage = link.page
        website.landing = link.landing
        if link.isRelyingParty { website.redirectURIs = [try Self.callback()] }
        website.isFirstParty = link.isRelyingParty
        try expect(link.counts, isOurs: link.isOurs, for: website, by: .loginToken)
    }

    @Test func `contract §4.5: a link's session that is kept elsewhere answers its own website, and no other`()
        throws
    {
        var website = Client(id: "view", name: "View", kind: .web, publicOrigin: WebOrigin("https://www.other.test"))
        website.redirectURIs = [try Self.callback()]
        website.redemptionPage = "/in"
        let reader = try Self.reader(of: website)
        let openings: [(SessionOpening, Bool)] = [(.loginToken, true), (.handOff, false), (.tokenExchange, false)]
        for (opening, answers) in openings {
            let session = Self.session(of: website, by: opening)
            #expect(reader.isKeptElsewhere(session))
            #expect(reader.answers(session, to: website.id) == answers)
            // Not even for one that its app may open.
            for other in ["shop", "www", nil] as [ClientID?] { #expect(!reader.answers(session, to: other)) }
        }
    }

    @Test func `attack: a link's session goes by its website's domain to another website that its app may not open`()
        throws
    {
        var website = Client(
            id: "view", name: "View", kind: .web, publicOrigin: WebOrigin("https://shop.other.test"))
        website.cookieProfile = .tokens
        website.cookieDomain = ".other.test"
        try expect([], isOurs: false, for: website, by: .loginToken)
    }

    @Test(arguments: [SessionOpening.loginToken, .handOff, .tokenExchange])
    func `the session of a website that is gone counts nowhere`(opening: SessionOpening) throws {
        let reader = OriginReader(
            configured: Origins(website: try #require(WebOrigin("https://api.va.test"))),
            clients: Reloadable(ClientDirectory([], defaultTarget: nil)))
        let session = Self.session(of: Client(id: "view", name: "View", kind: .web), by: opening)
        #expect(reader.isKeptElsewhere(session))
        #expect(Self.hosts.allSatisfy { !reader.admits(session, at: Self.request(to: $0)) })
    }

    /// A relying party that is not `first_party`, and what a login token of it opens.
    struct Party: Sendable, CustomTestStringConvertible {
        let why: String
        var origin: String?
        var callbacks = ["https://www.other.test/callback"]
        var domain: String?
        var page: String?
        /// Where ``OriginReader/admits(_:at:)`` has it count, of ``OriginReaderTests/hosts``.
        let counts: Set<String>
        /// Where ``OriginReader/letsIn(_:at:)`` lets it in.
        let letsIn: Set<String>
        /// Whether it reaches what its app may open, and the account.
        var isOurs = false

        var testDescription: String { why }
    }

    private static let seen = ours.union(["va.test"])

    static let parties = [
        Party(why: "that does not say where it is", counts: seen, letsIn: []),
        Party(
            why: "of another domain", origin: "https://www.other.test", counts: seen.union(["www.other.test"]),
            letsIn: ["www.other.test"]),
        Party(
            why: "with a page of its own", origin: "https://www.other.test", page: "/in", counts: ["www.other.test"],
            letsIn: ["www.other.test"]),
        Party(
            why: "of another domain, which a neighbour shares", origin: "https://shop.other.test",
            domain: ".other.test", counts: seen, letsIn: []),
        Party(
            why: "of our domain, which it does not share", origin: "https://www.va.test",
            counts: seen.union(["www.va.test", "WWW.va.test:443"]), letsIn: ["www.va.test", "WWW.va.test:443"]),
        Party(
            why: "with one of its addresses here", callbacks: ["https://api.va.test/cb", "https://www.other.test/cb"],
            counts: seen, letsIn: []),
        Party(
            why: "at our own host", callbacks: ["https://api.va.test:8443/cb"], counts: anywhere, letsIn: anywhere,
            isOurs: true),
        Party(
            why: "of a domain that is ours too", callbacks: ["https://www.va.test/cb"], domain: ".va.test",
            counts: anywhere, letsIn: anywhere, isOurs: true),
    ]

    @Test(arguments: parties)
    func `attack §16.3: a login token of somebody else's relying party opens it alone, whoever sends its cookie`(
        party: Party
    ) throws {
        var website = Client(
            id: "view", name: "View", kind: .web, publicOrigin: party.origin.flatMap(WebOrigin.init(_:)))
        website.redirectURIs = try party.callbacks.map {
            try RedirectURI(registering: $0, rules: RedirectURIRules(isNative: false))
        }
        website.cookieDomain = party.domain
        website.cookieProfile = party.domain == nil ? .session : .tokens
        website.redemptionPage = party.page
        for isFirstParty in [false, true] {
            website.isFirstParty = isFirstParty
            let isOurs = party.isOurs || isFirstParty && party.page == nil
            let reader = try Self.reader(of: website)
            let session = Self.session(of: website, by: .loginToken)
            let counting = Self.hosts.filter { reader.admits(session, at: Self.request(to: $0)) }
            let lettingIn = Self.hosts.filter { reader.letsIn(session, at: Self.request(to: $0)) }
            #expect(isFirstParty || counting == party.counts)
            #expect(lettingIn == (isFirstParty ? counting : party.letsIn))
            #expect(reader.opensAccount(session) == isOurs)
            #expect(reader.grants(session, to: website.id))
            for other in ["shop", nil] as [ClientID?] { #expect(reader.grants(session, to: other) == isOurs) }
            // Whose browser it is counts all the same, for the question before somebody else is signed in.
            #expect(reader.answers(session, to: "shop") == (party.page == nil))
        }
    }

    static let serversTokens: [(String?, Bool, Set<String>)] = [
        ("https://www.other.test", false, ["www.other.test"]), ("https://www.other.test", true, ["www.other.test"]),
        (nil, false, ["api.va.test", "nobody.test", "va.test"]),
        // Nobody knows where that one is.
        (nil, true, []),
    ]

    @Test(arguments: serversTokens)
    func `contract §4.4: the access token of a website's server is a cookie at that website alone`(
        origin: String?, isRelyingParty: Bool, counts: Set<String>
    ) throws {
        var website = Client(id: "view", name: "View", kind: .web, publicOrigin: origin.flatMap(WebOrigin.init(_:)))
        if isRelyingParty { website.redirectURIs = [try Self.callback()] }
        let reader = try Self.reader(of: website)
        let found = Self.hosts.filter { reader.takesServersToken(of: website.id, at: Self.request(to: $0)) }
        #expect(found == counts)
    }

    private func expect(_ counts: Set<String>, isOurs: Bool, for website: Client, by opening: SessionOpening) throws {
        let reader = try Self.reader(of: website)
        let session = Self.session(of: website, by: opening)
        #expect(reader.isKeptElsewhere(session) == !isOurs)
        #expect(Self.hosts.filter { reader.admits(session, at: Self.request(to: $0)) } == counts)
    }

    /// Of a directory with other websites, of which an app may open the shop.
    private static func reader(of website: Client) throws -> OriginReader {
        let app = Client(id: "app", name: "App", kind: .native, mayReach: ["shop"])
        let others = [("www", "www.va.test"), ("other", "www.other.test"), ("shop", "shop.test")].map { name, host in
            Client(
                id: ClientID(rawValue: name), name: name, kind: .web, publicOrigin: WebOrigin("https://\(host)"))
        }
        return OriginReader(
            configured: Origins(
                website: try #require(WebOrigin("https://api.va.test")), issuer: WebOrigin("https://auth.va.test")),
            clients: Reloadable(ClientDirectory([website, app] + others, defaultTarget: nil)))
    }

    private static func callback() throws -> RedirectURI {
        try RedirectURI(registering: "https://www.other.test/callback", rules: RedirectURIRules(isNative: false))
    }

    private static func session(of website: Client, by opening: SessionOpening) -> WebSession {
        let began = Timestamp(seconds: 1_000_000)
        let lineage = Lineage(
            stored: "alice", opening: opening, ancestry: [.authorize], parent: .none, scope: nil,
            authentication: Authentication(), expiresAt: began + .seconds(3600))
        return WebSession(
            id: "session", secretDigest: "digest", lineage: lineage, clientID: website.id, appClientID: "app",
            createdAt: began, idleLifetime: .seconds(600), lastSeenAt: began)
    }

    private static func request(to host: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: host, path: "/auth/check"),
            body: RequestBody(buffer: ByteBuffer()))
    }
}
