import BridgeTestSupport
import Foundation
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Explanations of bearers, held against what an issue then does (contract §3, §13).
@Suite struct IssueExplanationTests {
    private static let reasons = LoginTokenIssuer.questions.map { $0.reason }

    /// A bearer, and the website that it asks for.
    private struct Asked {
        let bearer: BearerIdentity
        var website: String?
    }

    /// Explains a bearer, and makes sure that asking has changed nothing.
    private func explain(_ asked: Asked, _ service: Service) async throws -> Explanation {
        let before = try await service.events()
        var explanation = Explanation(rule: "bearer")
        try await service.issuer.explain(asked.bearer, opening: asked.website, in: &explanation)
        #expect(try await service.events() == before)
        return explanation
    }

    /// What an issue refuses for this reason, and for no other.
    private func refused(for reason: String, _ service: Service) async throws -> Asked {
        switch reason {
        case "unknown_client": return Asked(bearer: service.bearer(client: "nobody"))
        case "client_without_right": return Asked(bearer: service.bearer(client: "mute"))
        case "invalid_request":
            service.clients.replace(with: ClientDirectory(service.clients.current.all, defaultTarget: nil))
        case "unknown_target": return Asked(bearer: service.bearer(), website: "nobody")
        case "target_not_reachable": return Asked(bearer: service.bearer(), website: "unreachable")
        case "target_without_paths":
            service.clients.add(Client(id: website, name: "Bare", kind: .web))
        case "subject_of_another_issuer":
            try await service.storage.addUser("alice", issuer: "https://other.example", at: noon)
        case "subject_disabled":
            _ = try await service.issue()
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            service.clock.advance(.seconds(1))
        case "session_ended", "chained_session":
            let opened = try #require(try await service.open(try await service.issue().token).opened)
            if reason == "session_ended" {
                try await service.endings.end(
                    .webSession(opened.session.id), .signOut(origin: origin(), at: service.clock.now))
                service.clock.advance(.seconds(1))
            }
            return Asked(bearer: service.bearer(sid: opened.session.id))
        case "target_not_reachable_above", "shared_no_longer":
            // Who is exchanged for itself shares with itself, as long as it may exchange at all.
            service.change(app) { $0.isNativeSSOEnabled = false }
            let session = AppSession(
                id: "second", subject: "alice", clientID: app, scope: Scope(tokens: ["openid"]),
                opening: .tokenExchange, ancestry: [.authorize],
                appsAbove: [reason == "shared_no_longer" ? app : "mute"],
                authentication: Authentication(), createdAt: noon, expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            return Asked(bearer: service.bearer(sid: session.id))
        case "authentication_too_weak": service.change(website) { $0.minimumACR = "aal2" }
        default: Issue.record("nothing is refused for \(reason) here")
        }
        return Asked(bearer: service.bearer())
    }

    @Test(arguments: reasons)
    func `contract §13: a bearer that an issue refuses is explained as that, with the reason of the audit log`(
        reason: String
    ) async throws {
        try await withService { service async throws in
            let asked = try await refused(for: reason, service)
            let explanation = try await explain(asked, service)
            #expect(!explanation.passes && explanation.reason == reason)
            #expect(explanation.steps.last?.check == explanation.rule, "the check that decided is the last one made")
            _ = try await service.refusal(
                of: LoginTokenIssueRequest(targetClientID: asked.website), bearer: asked.bearer)
            #expect(try await service.events().last == "login_token.refused \(reason)")
        }
    }

    @Test func `contract §13: a bearer that gets a login token is explained as one that passes every check`()
        async throws
    {
        try await withService { service async throws in
            let explanation = try await explain(Asked(bearer: service.bearer()), service)
            #expect(explanation.passes && explanation.reason == nil && explanation.rule == "bearer")
            #expect(explanation.steps.map(\.check) == LoginTokenIssuer.questions.map { $0.check })
            let found = explanation.steps.filter { $0.outcome != "passed" }
            #expect(
                found == [
                    .init(check: "app is known", outcome: "app"), .init(check: "website is known", outcome: "web"),
                ])
            _ = try await service.issue()
            #expect(try await service.events() == ["login_token.issued"])
        }
    }

    /// A reason that is new in an issue would be told without the check that gave it.
    @Test func `whatever an issue is refused for has a question`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Bridge/LoginToken/Issue")
        let text = try ["BearerAdmission", "LoginTokenIssuer", "LoginTokenTerms"].map { name in
            try String(contentsOf: sources.appending(path: "\(name).swift"), encoding: .utf8)
        }.joined()
        let thrown = Set(text.matches(of: #/detail: \.(\w+)/#).map { String($0.output.1) })
        let reasons = RefusalReason.allCases.filter { thrown.contains(String(describing: $0)) }.map(\.rawValue)
        #expect(reasons.count >= 8)
        // Nobody asks about a request with an `Idempotency-Key`.
        let untold = Set(reasons).subtracting(Self.reasons).subtracting([RefusalReason.idempotencyKeyReused.rawValue])
        #expect(untold.isEmpty)
    }
}
