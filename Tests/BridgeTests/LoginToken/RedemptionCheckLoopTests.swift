import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Every question of the list, on every channel that it names, with a token that it says no to (ADR-0040).
@Suite struct RedemptionCheckLoopTests {
    /// A question on a channel.
    struct Row: Sendable, CustomTestStringConvertible {
        let question: RedemptionCheck.Question
        let channel: RedemptionChannel
        let cost: RedemptionCheck.Cost

        var testDescription: String { "\(question) on \(channel)" }

        static let all: [Row] = RedemptionCheck.list.flatMap { check in
            channels.filter { check.channels.contains($0) }
                .map { Row(question: check.question, channel: $0, cost: check.cost) }
        }
    }

    private static let channels: [RedemptionChannel] = [.browser, .server, .request, .pushed]

    /// A token that stands every check, and what may be wrong with it.
    private struct Trial {
        var claims: LoginTokenClaims
        var isExpired = false
        var websiteID: ClientID
        var current: WebSession?
        var retry: RedemptionRetry?
        var typedCode: String?
        var objection: RedemptionRefusal?

        func candidate(_ channel: RedemptionChannel, _ service: Service) -> RedemptionCandidate {
            var candidate = RedemptionCandidate(
                channel: channel, claims: claims, isExpired: isExpired, website: service.clients.current[websiteID],
                landing: service.redeemer.reader.ownPage, origin: origin(), at: service.clock.now)
            candidate.current = current
            candidate.retry = retry
            candidate.typedCode = typedCode
            candidate.objection = { [objection] _ in objection }
            return candidate
        }
    }

    /// What a "no" looks like.
    private enum Answer: Hashable {
        case refused(RedemptionRefusal)
        case held
        case opened
    }

    private func claims(of token: Secret<String>, _ service: Service) async throws -> LoginTokenClaims {
        let codec = LoginTokenCodec(issuer: "https://bridge.example", keys: service.keys)
        guard case .verified(let claims) = try await codec.verify(token, at: service.clock.now) else {
            throw StorageError.corrupt("the token does not verify")
        }
        return claims
    }

    private func changed(
        _ claims: LoginTokenClaims, audience: ClientID? = nil, clientID: ClientID? = nil,
        sessionID: SessionID? = nil, binding: LoginTokenBinding = .none
    ) -> LoginTokenClaims {
        LoginTokenClaims(
            issuer: claims.issuer, audience: audience ?? claims.audience, subject: claims.subject,
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, id: claims.id,
            clientID: clientID ?? claims.clientID, sessionID: sessionID ?? claims.sessionID,
            authentication: claims.authentication, target: claims.target, binding: binding)
    }

    private func addPortal(_ service: Service) {
        var portal = Client(id: "portal", name: "Portal", kind: .web, mayReach: [website])
        portal.isPortal = true
        service.clients.add(portal)
    }

    /// Makes the trial one that the question says no to, and no question before it.
    private func spoil(
        _ trial: inout Trial, for row: Row, _ token: Secret<String>, _ service: Service
    ) async throws -> Answer {
        let here = LoginTokenBinding(network: .network(try #require(NetworkPrefix("203.0.113.0/24"))))
        let elsewhere = LoginTokenBinding(network: .network(try #require(NetworkPrefix("198.51.100.0/24"))))
        switch row.question {
        case .inTime:
            trial.isExpired = true
            return .refused(.expired)
        case .isForTheWebsite:
            trial.websiteID = "cookies"
            return .refused(.wrongWebsite)
        case .appMayOpenTheWebsite:
            trial.claims = changed(trial.claims, clientID: "mute")
            return .refused(.clientWithoutRight)
        case .isUnknownToTheBrowser:
            trial.current = try #require(try await service.open(token).opened).session
            return .held
        case .browserHasNoAttempt:
            trial.retry = RedemptionRetry(try #require(try await service.open(token).opened), tokenID: trial.claims.id)
            return .opened
        case .serverHasNoAttempt:
            let opened = try #require(try await service.open(token).opened)
            service.redeemer.attempts.ofServers.remember(opened, of: trial.claims.id, at: service.clock.now)
            return .opened
        case .isNoHandOff:
            addPortal(service)
            trial.claims = changed(trial.claims, clientID: "portal")
            return .refused(.boundToken)
        case .isUnbound:
            trial.claims = changed(trial.claims, binding: here)
            return .refused(.boundToken)
        case .bindingIsShown:
            trial.claims = changed(trial.claims, binding: elsewhere)
            return .refused(.wrongNetwork)
        case .codeIsGiven:
            trial.claims = changed(trial.claims, binding: LoginTokenBinding(typedCodeKey: "k1"))
            return .refused(.codeMissing)
        case .codeIsRight:
            trial.claims = changed(trial.claims, binding: LoginTokenBinding(typedCodeKey: "k1"))
            let right = TypedCodes(keys: service.keys).code(of: trial.claims, at: service.clock.now)
            trial.typedCode = right?.expose() == "000000" ? "000001" : "000000"
            return .refused(.wrongCode)
        case .needsNoClick:
            trial.claims = changed(trial.claims, audience: "confirming")
            trial.websiteID = "confirming"
            return .refused(.confirmationNeeded)
        case .signInIsEnough:
            // Set since the token was issued.
            service.change(website) { $0.minimumACR = "urn:example:gold" }
            return .refused(.authenticationTooWeak)
        case .userAndSessionStand:
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            return .refused(.subjectDisabled)
        case .appsAboveMayOpenTheWebsite:
            let session = AppSession(
                id: "second", subject: "alice", clientID: app, scope: Scope(tokens: ["openid"]),
                opening: .tokenExchange, ancestry: [.authorize], appsAbove: ["mute"],
                authentication: Authentication(), createdAt: noon, expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            trial.claims = changed(trial.claims, sessionID: session.id)
            return .refused(.targetNotReachableAbove)
        case .requestWouldBeAnswered:
            trial.objection = .signInDemanded
            return .refused(.signInDemanded)
        }
    }

    @Test(arguments: Row.all)
    func `a question says no on every channel that it names, and a token that was refused is still there`(
        _ row: Row
    ) async throws {
        try await withService { service in
            let token = try await service.issue().token
            var trial = Trial(claims: try await claims(of: token, service), websiteID: website)
            let expected = try await spoil(&trial, for: row, token, service)
            let candidate = trial.candidate(row.channel, service)
            let (finding, passed, decisive) = try await service.redeemer.examiner.examine(candidate)
            #expect(decisive == row.question)
            let asked = RedemptionCheck.list.filter { $0.channels.contains(row.channel) }.map(\.question)
            #expect(passed == Array(asked.prefix { $0 != row.question }), "no other stands in its way")
            switch finding {
            case .passes: Issue.record("nobody said no")
            case .held: #expect(expected == .held)
            case .opened: #expect(expected == .opened)
            case .refused(let refusal, let cost):
                #expect(expected == .refused(refusal))
                #expect(cost == row.cost)
                _ = try await service.redeemer.refusals.refuse(refusal, cost, candidate)
                // A user who is disabled loses the tokens with the rest, before anybody refuses one.
                guard row.question != .userAndSessionStand else { return }
                let status = try await service.storage.state(of: trial.claims.id)?.status
                guard case .pending = status else {
                    Issue.record("the refused token is \(String(describing: status))")
                    return
                }
            }
        }
    }

    @Test(arguments: channels)
    func `a good token is asked everything that its channel names, and passes`(_ channel: RedemptionChannel)
        async throws
    {
        try await withService { service in
            let token = try await service.issue().token
            let trial = Trial(claims: try await claims(of: token, service), websiteID: website)
            let (finding, passed, decisive) = try await service.redeemer.examiner.examine(
                trial.candidate(channel, service))
            guard case .passes = finding else {
                Issue.record("\(String(describing: decisive)) said no")
                return
            }
            #expect(passed == RedemptionCheck.list.filter { $0.channels.contains(channel) }.map(\.question))
        }
    }
}
