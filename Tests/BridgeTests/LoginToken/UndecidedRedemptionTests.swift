import OAuth2
import Testing

@testable import Bridge

/// Contract §4.3: a 503 is never a replay.
@Suite struct UndecidedRedemptionTests {
    private let faults = RedemptionFaults()
    private let otherPlace = origin("198.51.100.9", userAgent: "Firefox")

    /// What the first try leaves with the browser.
    private func undecided(
        _ service: Service, _ token: Secret<String>, _ first: RedemptionFaults.Fault, _ second: RedemptionFaults.Fault
    ) async throws -> String {
        faults.expect(first, second)
        do {
            let outcome = try await service.open(token)
            Issue.record("\(outcome.word) instead of undecided")
            return ""
        } catch let undecided as UndecidedRedemption {
            return undecided.retry.expose()
        }
    }

    /// What a website's server asks for, with a new token.
    private func serverRequest(_ service: Service) async throws -> BackChannelRedemption {
        BackChannelRedemption(
            token: try await service.issue().token, website: try #require(service.clients.current[website]),
            codeVerifier: nil, origin: origin())
    }

    /// A request of a website's server that has been tried once: the commit was made, and its answer lost.
    /// - Parameter failure: why the server did not find out at once.
    private func undecidedRequest(_ service: Service, then failure: RedemptionFaults.Fault = .away) async throws
        -> BackChannelRedemption
    {
        let request = try await serverRequest(service)
        faults.expect(.answerLost, failure)
        await #expect(throws: UndecidedRedemption.self) { try await service.redeemer.redeem(request) }
        return request
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
                .user("alice"), Ending(at: service.clock.now, reason: .allSessionsRevoked, origin: origin()))
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
            let request = try await undecidedRequest(service)
            service.clock.advance(.seconds(8))
            let session = try await service.redeemer.redeem(request)
            #expect(try await opened(service) == 1)
            await #expect(throws: OAuthError.self) { try await service.redeemer.redeem(request) }
            #expect(try await service.storage.session(id: session.id)?.endedAt != nil)
        }
    }

    @Test func `a website's server that goes while its lost answer is looked for gets the session later too`()
        async throws
    {
        try await withService(faults: faults) { service async throws in
            let request = try await undecidedRequest(service, then: .abandoned)
            let session = try await service.redeemer.redeem(request)
            #expect(try await service.storage.session(id: session.id)?.endedAt == nil)
            #expect(try await opened(service) == 1)
        }
    }

    @Test func `an attempt that was not begun for a caller who has gone leaves the token as it was`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            faults.expect(.abandoned)
            await #expect(throws: CallerGone.self) { try await service.open(token) }
            #expect(try await service.open(token).word == "opened")
        }
    }

    @Test func `a website's server that tries while the app has no right gets the session later`() async throws {
        try await withService(faults: faults) { service async throws in
            let request = try await undecidedRequest(service)
            service.clock.advance(.seconds(8))
            let clients = service.clients.current
            service.change(app) { $0.mayReach = [] }
            await #expect(throws: OAuthError.self) { try await service.redeemer.redeem(request) }
            service.clients.replace(with: clients)
            let session = try await service.redeemer.redeem(request)
            #expect(try await service.storage.session(id: session.id)?.endedAt == nil)
            #expect(try await service.events().filter { $0.contains("replayed") } == [])
            #expect(try await opened(service) == 1)
        }
    }

    /// Contract §16.5 and §16.11: what a replay has ended is not given back by a node that came up since, which has
    /// heard of neither the use nor the end.
    @Test func `a node that knows of nothing does not give back what another browser's use has ended`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue().token
            let retry = try await undecided(service, token, .answerLost, .away)
            #expect(try await service.open(token, from: otherPlace).word == "refused")
            service.clock.advance(.seconds(4))
            let node = try Service(storage: service.storage)
            node.clock.advance(.seconds(4))
            try await node.sessions.refresh()
            let outcome = try await node.open(token, retry: retry)
            #expect(outcome.word == "refused")
            if let opened = outcome.opened { #expect(try await node.sessions.lookUp(opened.secret) == nil) }
        }
    }

    @Test(arguments: [true, false])
    func `a website's server is not given what has ended before its next try`(byReplay: Bool) async throws {
        try await withService(faults: faults) { service async throws in
            let request = try await undecidedRequest(service)
            if byReplay {
                #expect(try await service.open(request.token, from: otherPlace).word == "refused")
            } else {
                _ = try await service.endings.end(
                    .user("alice"), Ending(at: service.clock.now, reason: .allSessionsRevoked, origin: origin()))
            }
            service.clock.advance(.seconds(8))
            await #expect(throws: OAuthError.self) { try await service.redeemer.redeem(request) }
        }
    }

    @Test func `in the profile tokens the refresh cookie of an attempt outlives its lost answer`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(targetClientID: "cookies")).token
            faults.expect(.answerLost)
            let session = try #require(try await service.open(token).opened)
            #expect(session.refresh != nil)
        }
    }

    @Test func `a store that fails after the redemption costs the browser nothing`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let first = try #require(try await service.open(token).opened)
            let failure = await #expect(throws: UndecidedRedemption.self) {
                try await service.redeemer.deliver(first) { throw StorageError.unavailable("no code now") }
            }
            service.clock.advance(.seconds(4))
            let retry = try #require(failure).retry.expose()
            let again = try #require(try await service.open(token, retry: retry).opened)
            #expect(again.session.id == first.session.id)
            #expect(try await service.events().filter { $0.contains("replayed") } == [])
        }
    }

    @Test func `a store that fails after the redemption costs a website's server nothing`() async throws {
        try await withService { service async throws in
            let request = try await serverRequest(service)
            let first = try await service.redeemer.redeem(request)
            await #expect(throws: StorageError.self) {
                try await service.redeemer.deliver(first, toServerAt: service.clock.now) {
                    throw StorageError.unavailable("no tokens now")
                }
            }
            service.clock.advance(.seconds(4))
            #expect(try await service.redeemer.redeem(request).id == first.id)
            #expect(try await service.events().filter { $0.contains("replayed") } == [])
        }
    }

    @Test func `what was no store's failure is told as it is`() async throws {
        try await withService { service async throws in
            let opened = try #require(try await service.open(try await service.issue().token).opened)
            await #expect(throws: OAuthError.self) {
                try await service.redeemer.deliver(opened) { throw OAuthError(.invalidRequest) }
            }
        }
    }

    @Test func `of two tries of a website's server at the same time at most one gets the session`() async throws {
        try await withService(faults: faults) { service async throws in
            let request = try await undecidedRequest(service)
            service.clock.advance(.seconds(8))
            async let one = try? service.redeemer.redeem(request)
            async let other = try? service.redeemer.redeem(request)
            #expect(await [one, other].compactMap(\.self).count <= 1)
        }
    }
}
