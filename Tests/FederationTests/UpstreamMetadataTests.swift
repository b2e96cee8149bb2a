import Bridge
import BridgeTestSupport
import Federation
import HTTPTypes
import Logging
import OAuth2
import Testing

/// What a visitor of the sign-in page can have an upstream provider asked.
@Suite struct UpstreamMetadataTests {
    private static let path = "/.well-known/openid-configuration"

    private let clock = StandingClock()

    private func withProvider(
        logger: Logger = quiet,
        _ body:
            @escaping @Sendable (
                OpenIDProvider, IssuerServer, UpstreamProviderSettings, _ metadata: [String: String]
            ) async throws -> Void
    ) async throws {
        try await IssuerServer.run { [clock] server, origin in
            let settings = UpstreamProviderSettings(
                id: "other", name: "Other", issuer: origin, clientID: "drawbridge", clientSecret: Secret("s"))
            let provider = try #require(
                OpenIDProvider(
                    settings, limits: FetchLimits(timeout: .seconds(60)), time: clock.source, logger: logger))
            let metadata = [
                "issuer": origin, "authorization_endpoint": origin + "/authorize", "token_endpoint": origin + "/token",
                "jwks_uri": origin + "/keys",
            ]
            try await body(provider, server, settings, metadata)
        }
    }

    /// Whether a visitor is sent on.
    private static func sendsOn(_ provider: OpenIDProvider) async throws -> Bool {
        let verifier = try #require(CodeVerifier(String(repeating: "v", count: 43)))
        let request = UpstreamRequest(
            state: "s", nonce: "n", verifier: verifier, redirectURI: "https://bridge.example/callback")
        do {
            return try await provider.authorizationURL(for: request, isFresh: false).contains("/authorize?")
        } catch StorageError.unavailable {
            return false
        }
    }

    private static func sentOn(_ provider: OpenIDProvider, visitors: Int = 50) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<visitors { group.addTask { try await Self.sendsOn(provider) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test(arguments: [
        ("issuer", "ORIGIN/", "otherIssuer", "name another issuer"),
        (
            "authorization_endpoint", "", #"missing("authorization_endpoint")"#,
            "have no authorization_endpoint that is a secure URL"
        ),
        (
            "token_endpoint", "http://idp.example/token", #"missing("token_endpoint")"#,
            "have no token_endpoint that is a secure URL"
        ),
        ("jwks_uri", "", #"missing("jwks_uri")"#, "have no jwks_uri that is a secure URL"),
    ])
    func `what is wrong with a provider's metadata is said, in the log and by a check`(
        member: String, value: String, logged: String, told: String
    ) async throws {
        let log = LogLines(level: .warning)
        try await withProvider(logger: log.logger) { provider, server, settings, metadata async throws in
            var members = metadata
            members[member] = value.replacing("ORIGIN", with: settings.issuer)
            server.answer(Self.path, json: TestToken.json(members))
            #expect(try await !Self.sendsOn(provider))
            let line = "an upstream provider's metadata could not be fetched error=\(logged) issuer=\(settings.issuer)"
            #expect(log.all == ["warning: \(line)"])
            let found = await OnlineCheck.provider(
                settings, redirectURI: "https://bridge.example/callback",
                limits: FetchLimits(timeout: .seconds(60)))
            #expect(found == .bad("its metadata \(told)"))
        }
    }

    @Test func `attack: visitors at once, and more of them, ask a provider that fails once`() async throws {
        try await withProvider { [clock] provider, server, _, metadata async throws in
            server.answer(Self.path, with: .init(status: .serviceUnavailable))
            for _ in 0..<2 { #expect(try await Self.sentOn(provider) == 0) }
            #expect(server.count(of: Self.path) == 1)
            server.answer(Self.path, json: TestToken.json(metadata))
            clock.advance(.seconds(5))
            #expect(try await Self.sentOn(provider) == 50)
            #expect(server.count(of: Self.path) == 2)
        }
    }

    @Test func `what a provider said of itself counts for ten minutes, and longer while it is away`() async throws {
        try await withProvider { [clock] provider, server, _, metadata async throws in
            server.answer(Self.path, json: TestToken.json(metadata))
            #expect(try await Self.sendsOn(provider))
            clock.advance(.seconds(599))
            #expect(try await Self.sendsOn(provider))
            #expect(server.count(of: Self.path) == 1)
            server.answer(Self.path, with: .init(status: .serviceUnavailable))
            clock.advance(.seconds(1))
            #expect(try await Self.sentOn(provider) == 50)
            #expect(server.count(of: Self.path) == 2)
        }
    }
}
