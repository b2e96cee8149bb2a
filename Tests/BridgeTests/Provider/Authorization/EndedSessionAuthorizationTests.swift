import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// A request that is answered in the very moment in which its browser's session ends elsewhere
/// (docs/rules/authorization-request.md A11).
@Suite struct EndedSessionAuthorizationTests {
    /// Our own website, and a sign-in there that has ended since it was looked up.
    private func withEndedSession(
        rejectsReusedChallenge: Bool = false, _ body: (Provider, WebSession) async throws -> Void
    ) async throws {
        try await withProvider { provider in
            let site = try AuthorizationFixture.website { client in
                client.isFirstParty = true
                client.secretDigest = provider.secret.digest
                client.rejectsReusedChallenge = rejectsReusedChallenge
            }
            provider.service.clients.add(site)
            let now = provider.service.clock.now
            let session = WebSession(
                id: "ended", secretDigest: "digest of ended",
                lineage: .signIn(
                    of: "alice", authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]), at: now,
                    lifetime: .seconds(3600)),
                clientID: site.id, createdAt: now, idleLifetime: .seconds(3600), lastSeenAt: now)
            _ = try await provider.service.storage.open(session, replacing: nil, events: [])
            try await provider.service.endings.end(
                .webSession(session.id), Ending(at: now, reason: .administrator, origin: nil))
            try await body(provider, session)
        }
    }

    private func form(prompt: String? = nil) throws -> FormParameters {
        try AuthorizationFixture.form([
            "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "prompt": prompt,
        ])
    }

    /// The error that the website is told, or the page that its user is shown.
    private func answer(
        to parameters: FormParameters, _ provider: Provider, in session: WebSession
    ) async throws -> String {
        let outcome = try await provider.authorizations().begin(
            parameters, browser: .make(.formBinding, random: .system), session: session, origin: origin())
        switch outcome {
        case .signIn: return "sign in"
        case .redirect(let location):
            return try FormParameters(parsing: location.drop { $0 != "?" }.dropFirst().utf8)["error"] ?? location
        default: return "\(outcome)"
        }
    }

    @Test func `a user whose session has just ended signs in again`() async throws {
        try await withEndedSession { provider, session async throws in
            #expect(try await answer(to: try form(), provider, in: session) == "sign in")
        }
    }

    @Test func `a silent request shows no page when its session has just ended`() async throws {
        try await withEndedSession { provider, session async throws in
            #expect(try await answer(to: try form(prompt: "none"), provider, in: session) == "login_required")
        }
    }

    @Test func `a pushed request that is used up by then offers no sign-in that could not go on`() async throws {
        try await withEndedSession { provider, session in
            let uri = try await provider.pushedRequests.push(
                try form(), basic: .given(id: "site", secret: Secret(provider.secret.expose())), origin: origin())
            let pushed = try Provider.parameters([("client_id", "site"), ("request_uri", uri.expose())])
            #expect(try await answer(to: pushed, provider, in: session) == "login_required")
        }
    }

    @Test func `a challenge that counts once and is noted by then offers no sign-in that could not go on`()
        async throws
    {
        try await withEndedSession(rejectsReusedChallenge: true) { provider, session async throws in
            #expect(try await answer(to: try form(), provider, in: session) == "login_required")
        }
    }
}
