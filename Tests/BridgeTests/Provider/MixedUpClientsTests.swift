import OAuth2
import Testing

@testable import Bridge

/// What is refused before any client has proved itself leaves an event (contract §13).
@Suite struct MixedUpClientsTests {
    private struct MixedUp {
        let form: [(String, String)]
        var basic = BasicCredentials.absent
        let reason: String
        var client: ClientID?
        var detail: String?
    }

    @Test func `what is wrong before a client is known is told of, and is put to none that could prove itself`()
        async throws
    {
        try await withProvider { provider in
            let machine = BasicCredentials.given(id: "machine", secret: Secret(provider.secret.expose()))
            let twice = [("scope", "a"), ("scope", "b")]
            let requests = [
                MixedUp(
                    form: [("client_secret", "s")], basic: machine, reason: "several_proofs",
                    detail: #"{"named_client":"machine"}"#),
                MixedUp(form: [("client_id", "app")], basic: machine, reason: "client_id", client: "app"),
                MixedUp(
                    form: [("client_id", "signing"), ("client_assertion", "a")], reason: "assertion_type",
                    detail: #"{"named_client":"signing"}"#),
                MixedUp(form: [("client_id", "app")] + twice, reason: "repeated_parameter", client: "app"),
                MixedUp(
                    form: [("client_id", "rp")] + twice, reason: "repeated_parameter",
                    detail: #"{"named_client":"rp"}"#),
                MixedUp(form: [("client_id", "app"), ("client_id", "machine")], reason: "repeated_parameter"),
                MixedUp(form: [("client_id", "nobody")] + twice, reason: "repeated_parameter"),
            ]
            for request in requests {
                let found = try await refusal {
                    try await provider.token(
                        [("grant_type", "client_credentials")] + request.form, basic: request.basic)
                }
                #expect(found == "invalid_request \(request.reason)")
            }
            let told = try await provider.service.storage.search(AuditFilter(), before: nil, limit: 50)
                .records.reversed().map(\.event)
            #expect(told.map(\.type) == [AuditEventType](repeating: .tokenRequestRefused, count: requests.count))
            let reasons: [String?] = requests.map { $0.reason }
            let clients: [ClientID?] = requests.map { $0.client }
            #expect(told.map(\.reason) == reasons && told.map(\.clientID) == clients)
            #expect(told.map(\.detail) == requests.map(\.detail))
        }
    }

    /// Three refused requests of a network, without those about a token that somebody was given.
    private static func narrow() -> LimitSettings {
        var limits = LimitSettings()
        limits.refusedTokenRequestPerNetwork = TokenBucket(perMinute: 3)
        return limits
    }

    /// Refused requests that name nobody, and that anybody can send.
    private func sendJunk(_ count: Int, to provider: Provider) async throws {
        for _ in 0..<count {
            try await provider.endpoint.record(
                OAuthError(.invalidRequest, detail: .repeatedParameter), origin: origin())
        }
    }

    /// Refused requests, the oldest first.
    private func told(_ provider: Provider) async throws -> [AuditEvent] {
        try await provider.service.storage.search(AuditFilter(type: .tokenRequestRefused), before: nil, limit: 50)
            .records.reversed().map(\.event)
    }

    @Test func `attack: junk that costs nothing hides no refusal that names a user`() async throws {
        try await withProvider(limits: Self.narrow()) { provider in
            let token = try await provider.signIn().refreshToken
            try await sendJunk(10, to: provider)
            _ = try await refusal { try await provider.refresh(token, client: "mute") }
            let events = try await told(provider)
            let junk = [String](repeating: "repeated_parameter", count: 3)
            #expect(events.compactMap(\.reason) == junk + ["other_client"])
            #expect(events.last?.subject == "alice" && events.last?.clientID == "mute")
        }
    }

    @Test func `attack: a public client that asks about tokens hides no refusal to revoke one`() async throws {
        try await withProvider { provider in
            let issued = try await provider.signIn().refreshToken
            let token = try #require(issued).expose()
            for _ in 0..<70 {
                _ = try await refusal {
                    try await provider.introspection.answer(
                        try Provider.parameters([("client_id", "app"), ("token", "t")]), basic: .absent,
                        origin: origin())
                }
            }
            _ = try await refusal {
                try await provider.revocation.revoke(
                    try Provider.parameters([("client_id", "mute"), ("token", token)]), basic: .absent,
                    origin: origin())
            }
            let last = try await told(provider).last
            #expect(last?.reason == "other_client" && last?.subject == "alice")
        }
    }

    @Test func `a token that is refused in a loop is counted, and takes no room from what else its network sends`()
        async throws
    {
        try await withProvider(limits: Self.narrow()) { provider in
            let token = try await provider.signIn().refreshToken
            for _ in 0..<8 { _ = try await refusal { try await provider.refresh(token, client: "mute") } }
            try await sendJunk(3, to: provider)
            let expected = ["other_client", "repeated_parameter"].flatMap { [String](repeating: $0, count: 3) }
            let reasons = try await told(provider).compactMap(\.reason)
            #expect(reasons == expected)
            let counts = try await provider.refusals.writeSuppressed(at: provider.service.clock.now)
            #expect(counts == [.tokenRequestRefused: 5])
        }
    }

    @Test func `attack: an app's own retries hide nobody who sends its token from elsewhere`() async throws {
        try await withProvider { provider in
            let issued = try await provider.signIn().refreshToken
            let token = try #require(issued).expose()
            let form = [("grant_type", "refresh_token"), ("client_id", "mute"), ("refresh_token", token)]
            for address in ["203.0.113.7", "203.0.113.7", "203.0.113.7", "203.0.113.7", "198.51.100.9"] {
                _ = try await refusal {
                    try await provider.endpoint.answer(
                        try Provider.parameters(form), basic: .absent, cookies: .allowed, origin: origin(address))
                }
            }
            let addresses = try await told(provider).compactMap(\.address)
            #expect(addresses == ["203.0.113.7", "203.0.113.7", "203.0.113.7", "198.51.100.9"])
        }
    }

    @Test func `a network that sends nothing but such requests fills no log`() async throws {
        let limits = Self.narrow()
        try await withProvider(limits: limits) { provider in
            let authenticator = ClientAuthenticator(
                clients: provider.service.clients, issuer: issuerName, assertions: provider.service.storage,
                refusals: provider.refusals, limiter: InProcessRateLimiter(clock: .parameter), limits: limits)
            let repeated = try Provider.parameters([("client_id", "app"), ("scope", "a"), ("scope", "b")])
            for _ in 0..<10 {
                let found = try await refusal {
                    try await authenticator.client(
                        sending: repeated, basic: .absent, origin: origin(), at: provider.service.clock.now)
                }
                #expect(found == "invalid_request repeated_parameter")
            }
            let events = try await provider.service.events()
            #expect(events.count { $0 == "token_request.refused repeated_parameter" } == 3)
        }
    }
}
