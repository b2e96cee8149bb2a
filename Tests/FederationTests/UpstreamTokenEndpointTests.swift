import Bridge
import BridgeTestSupport
import Federation
import HTTPTypes
import Logging
import OAuth2
import Testing

/// What an upstream provider's token endpoint refuses, and who is told of it.
@Suite struct UpstreamTokenEndpointTests {
    private static let metadata = "/.well-known/openid-configuration"

    private static func settings(
        _ origin: String, reread: (@Sendable () throws -> Secret<String>)? = nil
    ) -> UpstreamProviderSettings {
        UpstreamProviderSettings(
            id: "other", name: "Other", issuer: origin, clientID: "drawbridge", clientSecret: Secret("old"),
            rereadSecret: reread)
    }

    private func withServer(_ body: @Sendable (IssuerServer, String) async throws -> Void) async throws {
        try await IssuerServer.run { server, origin in
            server.answer(
                Self.metadata,
                json: TestToken.json([
                    "issuer": origin, "authorization_endpoint": origin + "/authorize",
                    "token_endpoint": origin + "/token", "jwks_uri": origin + "/keys",
                ]))
            server.answer("/keys", json: keySet([ECKey(keyID: "k").jwk()]))
            try await body(server, origin)
        }
    }

    private static func provider(
        _ settings: UpstreamProviderSettings, logger: Logger = quiet
    ) throws -> OpenIDProvider {
        try #require(OpenIDProvider(settings, limits: FetchLimits(timeout: .seconds(60)), logger: logger))
    }

    /// Brings a provider's code back.
    private static func signIn(at provider: OpenIDProvider) async throws {
        let verifier = try #require(CodeVerifier(String(repeating: "v", count: 43)))
        let request = UpstreamRequest(
            state: "s", nonce: "n", verifier: verifier, redirectURI: "https://bridge.example/callback")
        _ = try await provider.user(code: Secret("c"), issuer: nil, for: request, at: TestToken.now)
    }

    private static func refusal(_ status: Int, _ word: String) -> IssuerServer.Answer {
        IssuerServer.Answer(
            status: HTTPResponse.Status(code: status), body: word.isEmpty ? [] : TestToken.json(["error": word]))
    }

    @Test(arguments: [
        (400, "invalid_grant"), (401, "invalid_grant"), (403, "invalid_grant"), (400, "invalid_request"),
        (400, "bad_verification_code"), (400, ""),
    ])
    func `a code that the provider refuses is the user's to bring anew`(status: Int, word: String) async throws {
        try await withServer { server, origin async throws in
            server.answer("/token", with: Self.refusal(status, word))
            let log = LogLines(level: .warning)
            let provider = try Self.provider(Self.settings(origin), logger: log.logger)
            await #expect(throws: UpstreamRefusal.badCode) { try await Self.signIn(at: provider) }
            #expect(log.all.isEmpty)
        }
    }

    @Test(arguments: [
        (401, "", ""), (401, "invalid_client", " (invalid_client)"), (400, "invalid_client", " (invalid_client)"),
        (400, "unauthorized_client", " (unauthorized_client)"), (401, "no_words_of_<b>ours</b>", ""),
    ])
    func `a provider that refuses us is an outage, and the log says what to look at`(
        status: Int, word: String, told: String
    ) async throws {
        try await withServer { server, origin async throws in
            server.answer("/token", with: Self.refusal(status, word))
            let log = LogLines(level: .warning)
            let provider = try Self.provider(Self.settings(origin), logger: log.logger)
            await expectOutage { try await Self.signIn(at: provider) }
            let line =
                "warning: an upstream provider refuses our client_id or client_secret_file "
                + "error=answers with \(status)\(told) issuer=\(origin)"
            #expect(log.all == [line])
        }
    }

    @Test(arguments: [(408, ""), (429, "slow_down"), (404, ""), (500, "invalid_grant"), (503, "")])
    func `a token endpoint that gives no answer to the code is an outage`(status: Int, word: String) async throws {
        try await withServer { server, origin async throws in
            server.answer("/token", with: Self.refusal(status, word))
            let log = LogLines(level: .warning)
            let provider = try Self.provider(Self.settings(origin), logger: log.logger)
            await expectOutage { try await Self.signIn(at: provider) }
            #expect(log.all.count == 1)
            let line = "warning: an upstream provider's token endpoint gave no usable answer error=answers with"
            #expect(log.all[0].hasPrefix(line))
        }
    }

    private struct Unreadable: Error {}

    @Test func `after a reload the provider is shown the new secret, unless its file cannot be read`() async throws {
        try await withServer { server, origin async throws in
            server.answer("/token", with: Self.refusal(400, "invalid_grant"))
            let file = Reloadable<Secret<String>?>(Secret("new"))
            let provider = try Self.provider(
                Self.settings(
                    origin,
                    reread: {
                        guard let secret = file.current else { throw Unreadable() }
                        return secret
                    }))
            await #expect(throws: UpstreamRefusal.badCode) { try await Self.signIn(at: provider) }
            try provider.reload()
            await #expect(throws: UpstreamRefusal.badCode) { try await Self.signIn(at: provider) }
            #expect(server.count(of: Self.metadata) == 2, "what was fetched is forgotten")
            file.replace(with: nil)
            #expect(throws: Unreadable.self) { try provider.reload() }
            await #expect(throws: UpstreamRefusal.badCode) { try await Self.signIn(at: provider) }
            let shown = server.received.filter { $0.path == "/token" }.map(\.authorization)
            let expected = ["old", "new", "new"].map { "Basic " + Base64.encode(Array("drawbridge:\($0)".utf8)) }
            #expect(shown == expected)
        }
    }

    @Test(
        arguments: [
            (400, "invalid_grant", "good metadata, and 1 keys; TOKEN accepts us as drawbridge"),
            (
                401, "invalid_client",
                "bad TOKEN answers with 401 (invalid_client): client_id or client_secret_file is wrong"
            ),
            (401, "", "bad TOKEN answers with 401: client_id or client_secret_file is wrong"),
            (
                400, "invalid_request",
                "note metadata, and 1 keys; TOKEN answers with 400 (invalid_request), which does not say whether "
                    + "client_secret_file is right"
            ),
            (404, "", "bad TOKEN answers with 404"),
            (200, "", "bad TOKEN answers with 200 to a code that nobody was given"),
        ] as [(Int, String, String)])
    func `a check shows a provider our credentials with a code that nobody was given`(
        status: Int, word: String, expected: String
    ) async throws {
        try await withServer { server, origin async throws in
            server.answer("/token", with: Self.refusal(status, word))
            let found = await OnlineCheck.provider(
                Self.settings(origin), redirectURI: "https://bridge.example/callback",
                limits: FetchLimits(timeout: .seconds(60)))
            let said =
                switch found {
                case .good(let text): "good \(text)"
                case .note(let text): "note \(text)"
                case .bad(let text): "bad \(text)"
                }
            #expect(said.replacing(origin + "/token", with: "TOKEN") == expected)
            let request = try #require(server.received.first { $0.path == "/token" })
            #expect(request.body.contains("&redirect_uri=https%3A%2F%2Fbridge.example%2Fcallback&"))
            #expect(request.authorization == "Basic " + Base64.encode(Array("drawbridge:old".utf8)))
        }
    }
}
