import OAuth2
import Testing

@testable import Bridge

/// Contract §4.3: a 503 is never a replay.
@Suite struct UndecidedRedemptionTests {
    private let faults = RedemptionFaults()
    private let otherPlace = origin("198.51.100.9", userAgent: "Firefox")

    /// What the first try leaves with the browser.
    private func undecided(_ service: Service, _ token: Secret<String>, _ expected: RedemptionFaults.Fault...)
        async throws
        -> String
    {
        switch expected.count {
        case 1: faults.expect(expected[0])
        default: faults.expect(expected[0], expected[1])
        }
        do {
            let outcome = try await service.open(token)
            Issue.record("\(outcome.word) instead of undecided")
            return ""
        } catch let undecided as UndecidedRedemption {
            return undecided.retry.expose()
        }
    }

    private func opened(_ service: Service) async throws -> Int {
        try await service.events().filter { $0.hasPrefix("web_session.opened") }.count
    }

    @Test func `a lost answer to a commit that was made is found out at once, and nobody notices`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            faults.expect(.answerLost)
            let session = try #require(try await service.open(token).opened)
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `a commit that was not made is made at the second attempt`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            faults.expect(.commitLost)
            let session = try #require(try await service.open(token).opened)
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `the browser's next try gets the session that the lost commit opened, even after the token's end`()
        async throws
    {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(ttl: 20)).token
            let retry = try await undecided(service, token, .answerLost, .away)
            service.clock.advance(.seconds(30))
            let session = try #require(try await service.open(token, retry: retry).opened)
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            #expect(try await service.events().filter { $0.contains("replayed") } == [])
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `the browser's next try opens the session where the lost commit was not made`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .commitLost, .away)
            service.clock.advance(.seconds(8))
            let session = try #require(try await service.open(token, retry: retry).opened)
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `a third try of the same browser lands in the same session`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .answerLost, .away)
            service.clock.advance(.seconds(5))
            let first = try #require(try await service.open(token, retry: retry).opened)
            let second = try #require(try await service.open(token, retry: retry).opened)
            #expect(first.session.id == second.session.id)
            #expect(try await service.open(token, session: first.secret, retry: retry).word != "refused")
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `another browser's use in between ends what the lost commit opened`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .answerLost, .away)
            #expect(try await service.open(token, from: otherPlace).word == "refused")
            service.clock.advance(.seconds(4))
            #expect(try await service.open(token, retry: retry).word == "refused")
        }
    }

    @Test func `a session that was ended meanwhile is not given back`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .answerLost, .away)
            _ = try await service.endings.end(
                .user("alice"), Ending(at: service.clock.now, reason: "signed_out_everywhere", origin: origin()))
            #expect(try await service.open(token, retry: retry).opened == nil)
        }
    }

    @Test func `what another token's attempt left, or nobody's, helps nothing`() async throws {
        try await withService(faults: faults) { service async throws in
            let retry = try await undecided(service, try await service.issue().token, .answerLost, .away)
            let used = try await service.issue().token
            _ = try await service.open(used)
            service.clock.advance(.seconds(4))
            for wrong in [retry, "nonsense", ""] {
                #expect(try await service.open(used, retry: wrong).word == "refused")
            }
        }
    }

    @Test func `what the attempt left is forgotten after a minute`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .answerLost, .away)
            service.clock.advance(RedemptionRetry.lifetime)
            #expect(try await service.open(token, retry: retry).word == "refused")
        }
    }

    @Test func `a website's server that asks again gets the one session`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let site = try #require(service.clients.current[website])
            let request = BackChannelRedemption(token: token, website: site, codeVerifier: nil, origin: origin())
            faults.expect(.answerLost, .away)
            await #expect(throws: UndecidedRedemption.self) { try await service.redeemer.redeem(request) }
            service.clock.advance(.seconds(8))
            let session = try await service.redeemer.redeem(request)
            #expect(try await opened(service) == 1)
            await #expect(throws: OAuthError.self) { try await service.redeemer.redeem(request) }
            #expect(try await service.storage.session(id: session.id)?.endedAt != nil)
        }
    }
}
