import OAuth2
import Testing

@testable import Bridge

@Suite struct SignedInPlacesTests {
    /// A browser's session, opened by a login token of an app.
    private func browser(_ native: NativeProvider, subject: Subject = "alice") async throws -> WebSession {
        let answer = try await native.service.issue(subject: subject)
        return try #require(try await native.service.open(answer.token).opened).session
    }

    private func kinds(_ native: NativeProvider, from session: WebSession) async throws -> [String] {
        try await native.places.listing(of: session.subject, current: session).places
            .map { "\($0.kind.rawValue)\($0.isCurrent ? " here" : "")" }
    }

    @Test func `a user sees devices, apps and browsers, the one in hand first`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(from: origin("198.51.100.9", userAgent: "Photos/3.1"))
            _ = try await browser(native, subject: "bob")
            let session = try await browser(native)
            let places = try await native.places.listing(of: "alice", current: session).places
            // The last is the browser in which the app signed in.
            #expect(places.map(\.kind) == [.browser, .device, .app, .browser])
            #expect(places.map(\.isCurrent) == [true, false, false, false])
            #expect(places.map(\.name) == [nil, "Photos/3.1", nil, nil])
            // Of its network, never the address.
            #expect(places.prefix(3).map(\.network) == ["203.0.113.0/24", "198.51.100.0/24", "198.51.100.0/24"])
            #expect(try places[2].id == native.session(of: tokens).rawValue)
        }
    }

    @Test func `a web view is listed with the app that opened it, and the app with its device`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            _ = try await native.exchange(tokens, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            let places = try await native.places.listing(of: "alice", current: try await browser(native)).places
            #expect(places.map(\.kind) == [.browser, .device, .app, .browser, .browser])
            let app = try native.session(of: tokens).rawValue
            #expect(places[2].id == app && places[2].openedBy == places[1].id)
            #expect(places.dropFirst(3).count(where: { $0.openedBy == app }) == 1)
        }
    }

    @Test func `contract §16: a session that came over an edge is shown and ends itself alone`() async throws {
        try await withNativeProvider { native in
            _ = try await native.signIn()
            let session = try await browser(native)
            let all = try await native.places.listing(of: "alice", current: session).places
            #expect(all.count == 4)
            #expect(try await native.places.listing(shownTo: session).places.map(\.id) == [session.id.rawValue])
            for place in all where !place.isCurrent {
                #expect(try await !native.places.end(place.kind, place.id, in: session, origin: origin()))
            }
            // Nor by its own id, called something else.
            #expect(try await !native.places.end(.app, session.id.rawValue, in: session, origin: origin()))
            #expect(try await !native.places.endOthers(in: session, origin: origin()))
            #expect(try await kinds(native, from: session).count == 4)
            #expect(try await native.places.end(.browser, session.id.rawValue, in: session, origin: origin()))
            #expect(try await native.service.sessions.peek(session.id) == nil)
        }
    }

    @Test func `contract §16: a sign-in of the person's own is shown and ends everything of the user`() async throws {
        try await withNativeProvider { native in
            _ = try await native.signIn()
            let session = try await browser(native)
            let place = try #require(
                try await native.places.listing(of: "alice", current: session).places.last { $0.kind == .browser })
            let own = try #require(try await native.storage.session(id: SessionID(rawValue: place.id)))
            #expect(own.isOwnSignIn)
            #expect(try await native.places.listing(shownTo: own).places.count == 4)
            #expect(try await native.places.end(.browser, session.id.rawValue, in: own, origin: origin()))
            #expect(try await native.service.sessions.peek(session.id) == nil)
            #expect(try await native.places.endOthers(in: own, origin: origin()))
            #expect(try await native.places.listing(shownTo: own).places.map(\.id) == [own.id.rawValue])
        }
    }

    @Test func `ending a place ends what hangs below it`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let device = try #require(
                try await native.places.listing(of: "alice", current: session).places.first { $0.kind == .device })
            #expect(try await native.places.end(.device, device.id, of: "alice", by: session.id, origin: origin()))
            #expect(try await !native.isActive(first))
            #expect(try await !native.isActive(second))
            #expect(try await kinds(native, from: session) == ["browser here", "browser"])
            #expect(try await native.records(.deviceSecretRevoked).map(\.reason) == ["ended_by_user"])
            #expect(try await !native.places.end(.device, device.id, of: "alice", by: session.id, origin: origin()))
        }
    }

    @Test func `an app and a browser are ended by themselves`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            let tokens = try await native.signIn(app, scope: ["openid"])
            func end(_ kind: SignedInPlaces.Place.Kind, _ id: SessionID) async throws -> Bool {
                try await native.places.end(kind, id.rawValue, of: "alice", by: session.id, origin: origin())
            }
            let id = try native.session(of: tokens)
            #expect(try await end(.app, id))
            #expect(try await !end(.app, id))
            #expect(try await !native.isActive(tokens))
            #expect(try await end(.browser, session.id))
            #expect(try await !end(.browser, session.id))
        }
    }

    @Test(arguments: SignedInPlaces.Place.Kind.allCases)
    func `nobody ends what is another user's, or is not there`(kind: SignedInPlaces.Place.Kind) async throws {
        try await withNativeProvider { native in
            _ = try await native.signIn()
            let session = try await browser(native)
            let place = try #require(
                try await native.places.listing(of: "alice", current: session).places.first { $0.kind == kind })
            #expect(try await !native.places.end(kind, place.id, of: "bob", by: session.id, origin: origin()))
            #expect(try await !native.places.end(kind, "unheard-of", of: "alice", by: session.id, origin: origin()))
            #expect(try await kinds(native, from: session).count == 4)
        }
    }

    /// Browsers of alice's that were opened one after the other, and ended when `endedAt` is given.
    private func addBrowsers(
        _ count: Int, like session: WebSession, _ native: NativeProvider, endedAt: Timestamp? = nil
    ) async throws {
        for number in 1...count {
            let opened = session.createdAt + .milliseconds(number)
            let next = WebSession(
                id: SessionID.make(at: opened, random: .system), secretDigest: "\(number) \(endedAt == nil)",
                lineage: session.lineage, clientID: session.clientID, createdAt: opened,
                idleLifetime: session.idleLifetime, lastSeenAt: opened, endedAt: endedAt)
            #expect(try await native.storage.open(next, replacing: nil, events: []))
        }
    }

    @Test func `browsers that have ended since hide none of those that live`() async throws {
        try await withNativeProvider { native in
            let other = try await browser(native)
            let session = try await browser(native)
            try await addBrowsers(SignedInPlaces.limit + 5, like: session, native, endedAt: native.clock.now)
            #expect(try await kinds(native, from: session) == ["browser here", "browser"])
            try await native.places.endOthers(than: session, origin: origin())
            #expect(try await native.service.sessions.peek(other.id) == nil)
            #expect(try await native.service.sessions.peek(session.id) != nil)
        }
    }

    @Test func `to end all others, nothing is searched for in the audit log`() async throws {
        try await withNativeProvider { native in
            let other = try await browser(native)
            let session = try await browser(native)
            let log = LogInWindows(native.storage, emptyPages: 0)
            let places = SignedInPlaces(
                devices: native.storage, apps: native.storage, webs: native.storage, audit: log,
                endings: native.service.endings,
                gate: LimitGate(UnlimitedRateLimiter(), refusals: native.service.refusals), time: native.clock.source)
            try await places.endOthers(than: session, origin: origin())
            #expect(try await native.service.sessions.peek(other.id) == nil)
            #expect(log.searches == 0)
        }
    }

    @Test func `the place in hand is shown, and all others end, where one list does not hold them`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            try await addBrowsers(2 * SignedInPlaces.limit, like: session, native)
            native.clock.advance(.seconds(1))
            let shown = try await kinds(native, from: session)
            #expect(shown.first == "browser here" && shown.count == SignedInPlaces.limit + 1)
            try await native.places.endOthers(than: session, origin: origin())
            #expect(try await kinds(native, from: session) == ["browser here"])
        }
    }

    @Test func `a list says of which kinds it has the newest alone, the place in hand not counted`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            func cutKinds() async throws -> Set<SignedInPlaces.Place.Kind> {
                native.clock.advance(.seconds(1))
                return try await native.places.listing(of: "alice", current: session).cutKinds
            }
            try await addBrowsers(SignedInPlaces.limit, like: session, native)
            #expect(try await cutKinds().isEmpty)
            let another = try await browser(native)
            #expect(try await cutKinds() == [.browser])
            #expect(try await native.places.listing(shownTo: another).cutKinds.isEmpty, "it is shown itself alone")
            try await native.places.endOthers(than: session, origin: origin())
            #expect(try await cutKinds().isEmpty)
        }
    }

    @Test func `ending all others keeps the place in hand`() async throws {
        try await withNativeProvider { native in
            _ = try await native.signIn()
            let other = try await browser(native)
            let session = try await browser(native)
            try await native.places.endOthers(than: session, origin: origin())
            #expect(try await kinds(native, from: session) == ["browser here"])
            #expect(try await native.service.sessions.peek(other.id) == nil)
        }
    }

    @Test func `ending all others takes what could still sign in, the codes of the place in hand too`() async throws {
        try await withNativeProvider { native in
            let code = try await native.provider.code(try native.provider.grant(browser: "here"))
            let link = try await native.service.issue()
            let found = try await native.storage.session(id: "here")
            let session = try #require(found)
            try await native.places.endOthers(than: session, origin: origin())
            let redeemed = try await refusal { try await native.provider.redeem(code) }
            #expect(redeemed == "invalid_grant unknown_code")
            let opened = try await native.service.open(link.token).opened
            #expect(opened == nil)
            #expect(try await native.records(.loginTokenRevoked).map(\.reason) == ["ended_by_user"])
            #expect(try await kinds(native, from: session) == ["browser here"])
        }
    }

    @Test func `ending all others keeps what else is signed in here, but not with an app that ends`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let app = try native.session(of: tokens)
            let (other, beside, session) = (
                try await browser(native), try await browser(native), try await browser(native)
            )
            _ = try await native.exchange(tokens, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            let view = try #require(
                try await native.places.listing(of: "alice", current: session).places
                    .first { $0.openedBy == app.rawValue })
            let here: Set = [beside.id, SessionID(rawValue: view.id)]
            try await native.places.endOthers(than: session, sparing: here, origin: origin())
            #expect(try await kinds(native, from: session) == ["browser here", "browser"])
            #expect(try await native.service.sessions.peek(beside.id) != nil)
            #expect(try await native.service.sessions.peek(other.id) == nil)
        }
    }
}
