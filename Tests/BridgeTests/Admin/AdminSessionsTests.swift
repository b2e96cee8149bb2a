import BridgeTestSupport
import OAuth2
import Synchronization
import Testing

@testable import Bridge

@Suite struct AdminSessionsTests {
    /// Says of every token whether it administers, as it is told.
    private final class ScriptedAuthenticator: AdminAuthenticator {
        private let state = Mutex(true)

        func takeAway() { state.withLock { $0 = false } }

        func administrator(
            presenting token: Secret<String>, provenKey: String?, at now: Timestamp
        ) throws(AdminRefusal) -> Administrator { throw AdminRefusal(.invalid) }

        func stillAdministers(_ administrator: Administrator, at now: Timestamp) -> Bool { state.withLock { $0 } }
    }

    /// Keeps sessions, and can no longer note that they are used.
    private struct FullDisk: AdminSessionStore {
        let store: any AdminSessionStore

        func open(_ session: AdminSession, event: AuditEvent) async throws {
            try await store.open(session, event: event)
        }

        func adminSession(secretDigest: String) async throws -> AdminSession? {
            try await store.adminSession(secretDigest: secretDigest)
        }

        func touchAdminSession(_ secretDigest: String, at now: Timestamp) throws {
            throw StorageError.unavailable("the disk is full")
        }

        func endAdminSession(_ secretDigest: String, event: AuditEvent) async throws -> Bool {
            try await store.endAdminSession(secretDigest, event: event)
        }

        func purgeAdminSessions(expiredBefore cutoff: Timestamp) async throws {
            try await store.purgeAdminSessions(expiredBefore: cutoff)
        }
    }

    private func withSessions(
        _ authenticator: ScriptedAuthenticator = ScriptedAuthenticator(),
        _ body: (AdminSessions, Service) async throws -> Void
    ) async throws {
        try await withService { service async throws in
            try await body(
                AdminSessions(store: service.storage, authenticator: authenticator, time: service.clock.source),
                service)
        }
    }

    private func administrator(
        _ actor: AdminActor, in service: Service, lifetime: Duration = .seconds(86_400)
    ) -> Administrator {
        Administrator(
            actor: actor,
            credential: AdminCredential(tokenID: "jti", clientID: "operator", epoch: AdminCredential.firstEpoch),
            expiresAt: service.clock.now + lifetime)
    }

    @Test func `contract §16.9: it ends when what opened it no longer would, and for good`() async throws {
        let authenticator = ScriptedAuthenticator()
        try await withSessions(authenticator) { sessions, service in
            let secret = try await sessions.open(administrator(.client("operator"), in: service), origin: origin())
            #expect(try await sessions.lookUp(secret) != nil)
            authenticator.takeAway()
            #expect(try await sessions.lookUp(secret) == nil)
            #expect(try await service.storage.adminSession(secretDigest: secret.digest) == nil)
            #expect(try await service.events().last == "admin.signed_out credential_ended")
        }
    }

    @Test func `contract §16.9: a look that is no use does not keep it alive`() async throws {
        try await withSessions { sessions, service in
            let secret = try await sessions.open(administrator(.account("carol"), in: service), origin: origin())
            for _ in 0..<2 {
                service.clock.advance(.seconds(7 * 60))
                #expect(try await sessions.lookUp(secret, isUse: false) != nil)
            }
            service.clock.advance(.seconds(60) + .milliseconds(1))
            #expect(try await sessions.lookUp(secret, isUse: false) == nil)
        }
    }

    @Test func `contract §8: a console's session lives while it is used, a working day at most`() async throws {
        try await withSessions { sessions, service in
            let secret = try await sessions.open(administrator(.account("carol"), in: service), origin: origin())
            for _ in 0..<47 {
                service.clock.advance(.seconds(10 * 60))
                #expect(try await sessions.lookUp(secret)?.actor == .account("carol"))
            }
            service.clock.advance(.seconds(10 * 60))
            #expect(try await sessions.lookUp(secret) == nil)
        }
    }

    @Test func `contract §8: unused for a quarter of an hour it is over`() async throws {
        try await withSessions { sessions, service in
            let secret = try await sessions.open(administrator(.login("root"), in: service), origin: origin())
            service.clock.advance(.seconds(15 * 60))
            #expect(try await sessions.lookUp(secret) != nil)
            service.clock.advance(.seconds(15 * 60) + .milliseconds(1))
            #expect(try await sessions.lookUp(secret) == nil)
        }
    }

    @Test func `a disk that is full shuts nobody out of the console, and the log says so`() async throws {
        try await withService { service async throws in
            let log = LogLines()
            let sessions = AdminSessions(
                store: FullDisk(store: service.storage), authenticator: ScriptedAuthenticator(),
                time: service.clock.source, logger: log.logger)
            let secret = try await sessions.open(administrator(.client("operator"), in: service), origin: origin())
            service.clock.advance(.seconds(60))
            #expect(try await sessions.lookUp(secret)?.actor == .client("operator"))
            #expect(log.complaints == ["could not note that a console session was seen"])
            // Nothing was noted, so it ends as if it had not been used.
            service.clock.advance(.seconds(14 * 60) + .milliseconds(1))
            #expect(try await sessions.lookUp(secret) == nil)
        }
    }

    @Test func `it ends no later than the token that opened it`() async throws {
        try await withSessions { sessions, service in
            let secret = try await sessions.open(
                administrator(.client("operator"), in: service, lifetime: .seconds(60)),
                origin: origin())
            service.clock.advance(.seconds(60))
            #expect(try await sessions.lookUp(secret) == nil)
        }
    }

    @Test func `signing out is recorded once`() async throws {
        try await withSessions { sessions, service in
            let secret = try await sessions.open(administrator(.client("operator"), in: service), origin: origin())
            try await sessions.end(secret, origin: origin())
            try await sessions.end(secret, origin: origin())
            #expect(try await sessions.lookUp(secret) == nil)
            #expect(
                try await service.events() == ["admin.signed_in administrator", "admin.signed_out administrator"])
        }
    }

    @Test(arguments: [
        (AdminActor.client("demo-admin"), "client:demo-admin", "demo-admin"),
        (.account("carol"), "account:carol", "carol"), (.login("root"), "login:root", "root"),
    ])
    func `an actor is written unambiguously, and read back`(actor: AdminActor, text: String, name: String) {
        #expect(actor.description == text)
        #expect(AdminActor(text) == actor)
        #expect(actor.name == name)
    }

    @Test func `a text that names no kind of actor is none`() {
        #expect(AdminActor("carol") == nil)
    }

    @Test(arguments: [
        ("left the company", true), ("", true), (String(repeating: "x", count: 500), true),
        (String(repeating: "x", count: 501), false), ("two\nlines", false), ("\u{7F}", false),
        (String(repeating: "由", count: 500), true), (String(repeating: "由", count: 501), false),
        (String(repeating: "🗝", count: 500), true),
    ])
    func `a reason is one line of at most 500 characters`(text: String, isReason: Bool) {
        #expect(AdminAction.isReason(text) == isReason)
    }

    private static let reasons: [(String, String?)] = [
        ("left the company", "left the company"), ("", ""), ("two\nlines", "two lines"), ("a\r\nb\tc", "a  b c"),
        ("\u{0}\u{1B}[31m\u{7F}", "  [31m "), ("\u{85}\u{9B}\u{2028}\u{2029}", "    "), ("理由\n🗝", "理由 🗝"),
        (String(repeating: "\n", count: 500), String(repeating: " ", count: 500)),
        (String(repeating: "\n", count: 501), nil), (String(repeating: "由", count: 501), nil),
    ]

    @Test(arguments: reasons)
    func `what a program gives as its reason is put into one line, and no more than 500 characters`(
        text: String, reason: String?
    ) {
        #expect(AdminAction.reason(from: text) == reason)
    }

    @Test(arguments: OpaqueSecret.Kind.allCases)
    func `a reason with a secret in it is not written down`(kind: OpaqueSecret.Kind) {
        let secret = OpaqueSecret.make(kind, random: .system).expose()
        // Copied from a page, a secret may have a line break in it: what follows is not known to be none of it.
        let broken = "\(secret.prefix(20)) \(secret.dropFirst(20))"
        for text in ["found in a ticket: \(secret)", "\(secret) leaked", "leaked: \(broken)"] { expectRedacted(text) }
    }

    @Test func `a reason with a signed token in it is not written down, whoever signed that`() {
        let token = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + ".e30.c2ln"
        expectRedacted("in our log: Bearer \(token)")
        expectRedacted(String(repeating: "由", count: 400) + token)
    }

    @Test func `a reason with a password set-up link in it is not written down`() throws {
        let seal = ShortLivedSeal(
            keys: Reloadable(keyRing("k1")), purpose: .passwordLink, time: FixedClock().source)
        let link = try seal.seal(Array("{}".utf8), lifetime: PasswordChange.linkLifetime)
        expectRedacted("wrong recipient got https://a.example/account/set-up?link=\(link)")
    }

    private func expectRedacted(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let action = AdminAction(
            actor: .login("root"), reason: AdminAction.reason(from: text), origin: origin(), at: noon)
        #expect(action.reason == "<redacted>", sourceLocation: sourceLocation)
        #expect(action.event(.userDisabled).reason == "<redacted>", sourceLocation: sourceLocation)
        #expect(Ending(action).event(voidingLoginTokens: 1, of: "alice", by: nil, in: nil).reason == "<redacted>")
    }

    @Test(arguments: ["left the company", "100% sure, see ticket 4711", "evening shift", "理由 🗝", ""])
    func `an ordinary reason is written down as it is`(text: String) {
        #expect(AdminAction(actor: .login("root"), reason: text, origin: origin(), at: noon).reason == text)
    }
}
