import Bridge
import BridgeTestSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2
import Synchronization
import Testing

@testable import BridgeHTTP

/// What it costs to find out whose browser a request comes from.
@Suite struct BrowserSessionsTests {
    private static let began = Timestamp(seconds: 1_000_000)

    private static func session(of secret: OpaqueSecret) -> WebSession {
        WebSession(
            id: "session", secretDigest: secret.digest,
            lineage: Lineage(
                stored: "alice", opening: .authorize, ancestry: [], parent: .none, scope: nil,
                authentication: Authentication(), expiresAt: began + .seconds(3600)),
            clientID: "web", createdAt: began, idleLifetime: .seconds(600), lastSeenAt: began)
    }

    @Test(arguments: [Duration.zero, .seconds(600)])
    func `a page that knows its visitor asks for the session of the cookie once, alive or not`(
        since: Duration
    ) async throws {
        let secret = OpaqueSecret.make(.webSession, at: Self.began, random: .system)
        let session = Self.session(of: secret)
        let store = OneSession(session)
        let time = TimeSource { Self.began + since }
        let clients = Reloadable(
            ClientDirectory([Client(id: "web", name: "Web", kind: .web)], defaultTarget: nil))
        let origins = OriginReader(
            configured: Origins(website: try #require(WebOrigin("https://api.va.test"))), clients: clients)
        let browsers = BrowserSessions(
            sessions: WebSessions(store: store, time: time), clients: clients, accessTokens: nil, origins: origins,
            time: time)
        let cookie = "\(SessionCookies.secretName)=\(secret.expose())"
        let request = Request(
            head: HTTPRequest(
                method: .get, scheme: "https", authority: "api.va.test", path: "/", headerFields: [.cookie: cookie]),
            body: RequestBody(buffer: ByteBuffer()))
        let expected = since == .zero ? session : nil
        #expect(try await browsers.firstAtHome(of: request) == expected)
        #expect(store.looks == ["secret"])
        #expect(try await browsers.sessionWithoutUse(of: request) == expected)
        #expect(store.looks == ["secret", "secret"])
    }
}

/// A store of one session that nothing changes, which notes by what it was asked for it.
private final class OneSession: SessionStoreDouble {
    private let kept: WebSession
    private let asked = Mutex<[String]>([])

    init(_ session: WebSession) { kept = session }

    var looks: [String] { asked.withLock { $0 } }

    func session(secretDigest: String) -> WebSession? {
        asked.withLock { $0.append("secret") }
        return secretDigest == kept.secretDigest ? kept : nil
    }

    func session(id: SessionID) -> WebSession? {
        asked.withLock { $0.append("id") }
        return id == kept.id ? kept : nil
    }
}
