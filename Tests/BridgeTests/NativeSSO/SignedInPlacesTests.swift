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
        try await native.places.places(of: session.subject, current: session)
            .map { "\($0.kind.rawValue)\($0.isCurrent ? " here" : "")" }
    }

    @Test func `a user sees devices, apps and browsers, the one in hand first`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn(from: origin("198.51.100.9", userAgent: "Photos/3.1"))
            _ = try await browser(native, subject: "bob")
            let session = try await browser(native)
            let places = try await native.places.places(of: "alice", current: session)
            // The last is the browser in which the app signed in.
            #expect(places.map(\.kind) == [.browser, .device, .app, .browser])
            #expect(places.map(\.isCurrent) == [true, false, false, false])
            #expect(places.map(\.name) == [nil, "Photos/3.1", nil, nil])
            // Of its network, never the address.
            #expect(places.prefix(3).map(\.network) == ["203.0.113.0/24", "198.51.100.0/24", "198.51.100.0/24"])
            #expect(try places[2].id == native.session(of: tokens).rawValue)
        }
    }

    @Test func `a web view knows the app and the device that it is on`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let view = try await native.exchange(tokens, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            let session = try #require(try await native.storage.session(id: try native.session(of: view)))
            #expect(try await kinds(native, from: session) == ["device here", "app here", "browser here", "browser"])
        }
    }

    @Test func `ending a place ends what hangs below it`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let device = try #require(
                try await native.places.places(of: "alice", current: session).first { $0.kind == .device })
            #expect(try await native.places.end(.device, device.id, of: "alice", origin: origin()))
            #expect(try await !native.isActive(first))
            #expect(try await !native.isActive(second))
            #expect(try await kinds(native, from: session) == ["browser here", "browser"])
            #expect(try await native.records(.deviceSecretRevoked).map(\.reason) == ["ended_by_user"])
            #expect(try await !native.places.end(.device, device.id, of: "alice", origin: origin()))
        }
    }

    @Test func `an app and a browser are ended by themselves`() async throws {
        try await withNativeProvider { native in
            let session = try await browser(native)
            let tokens = try await native.signIn(app, scope: ["openid"])
            let id = try native.session(of: tokens).rawValue
            #expect(try await native.places.end(.app, id, of: "alice", origin: origin()))
            #expect(try await !native.places.end(.app, id, of: "alice", origin: origin()))
            #expect(try await !native.isActive(tokens))
            #expect(try await native.places.end(.browser, session.id.rawValue, of: "alice", origin: origin()))
            #expect(try await !native.places.end(.browser, session.id.rawValue, of: "alice", origin: origin()))
        }
    }

    @Test(arguments: SignedInPlaces.Place.Kind.allCases)
    func `nobody ends what is another user's, or is not there`(kind: SignedInPlaces.Place.Kind) async throws {
        try await withNativeProvider { native in
            _ = try await native.signIn()
            let session = try await browser(native)
            let place = try #require(
                try await native.places.places(of: "alice", current: session).first { $0.kind == kind })
            #expect(try await !native.places.end(kind, place.id, of: "bob", origin: origin()))
            #expect(try await !native.places.end(kind, "unheard-of", of: "alice", origin: origin()))
            #expect(try await kinds(native, from: session).count == 4)
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
}
