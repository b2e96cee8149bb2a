import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Another account's user is signed in in the browser that comes back from a provider (contract §4.3).
@Suite struct UpstreamSwitchTests {
    private func withDesk(_ body: (UpstreamDesk) async throws -> Void) async throws {
        try await withService { try await body(UpstreamDesk($0)) }
    }

    /// Somebody who came by the provider before.
    private func somebody(_ desk: UpstreamDesk) async throws -> WebSession {
        desk.upstream.willName("u-1")
        return try #require(try await desk.finish(try await desk.begin()).session)
    }

    /// The question that their browser is asked when the provider then names another user; what answers it.
    private func question(_ desk: UpstreamDesk, _ current: WebSession) async throws -> String {
        desk.upstream.willName("u-2", authenticatedAt: desk.service.clock.now)
        let outcome = try await desk.finish(try await desk.begin(), held: [current], replacing: current)
        return try #require(outcome.question).sealed
    }

    private func answer(
        _ sealed: String, _ desk: UpstreamDesk, _ current: WebSession?, browser: OpaqueSecret? = nil,
        provider: String = "corporate"
    ) async throws -> WebSession? {
        try await desk.signIn.switchAccount(
            provider, sealed: sealed, browser: browser ?? desk.browser, replacing: current, origin: origin()
        ).session
    }

    @Test func `contract §4.3: another account's user is asked first, and nothing has changed`() async throws {
        try await withDesk { desk in
            let current = try await somebody(desk)
            desk.upstream.willName("u-2")
            let outcome = try await desk.finish(try await desk.begin(), held: [current], replacing: current)
            let asked = try #require(outcome.question)
            #expect(asked.current == current.subject)
            #expect(asked.proposed == "u-2")
            #expect(asked.errand == "journey")
            #expect(try await desk.service.sessions.peek(current.id) != nil)
            #expect(try await desk.service.storage.users(after: nil, limit: 10).count == 1)
        }
    }

    @Test func `contract §4.3: the answer yes opens the session that was asked about, in the other's place`()
        async throws
    {
        try await withDesk { desk in
            let current = try await somebody(desk)
            let then = desk.service.clock.now
            let sealed = try await question(desk, current)
            desk.service.clock.advance(.seconds(120))
            let session = try #require(try await answer(sealed, desk, current))
            #expect(session.subject != current.subject)
            // To think it over makes no sign-in newer.
            #expect(session.authentication.time == then)
            #expect(try await desk.service.sessions.peek(current.id) == nil)
            #expect(try await desk.service.events().contains("web_session.switched account_switch"))
        }
    }

    @Test func `a yes counts once`() async throws {
        try await withDesk { desk in
            let current = try await somebody(desk)
            let sealed = try await question(desk, current)
            _ = try #require(try await answer(sealed, desk, current))
            #expect(try await answer(sealed, desk, nil) == nil)
            #expect(try await desk.failures() == ["stale"])
        }
    }

    @Test func `a second yes finds its user signed in, in the browser that was asked, and nobody else`() async throws {
        try await withDesk { desk in
            let current = try await somebody(desk)
            let sealed = try await question(desk, current)
            func errand(_ held: [WebSession], browser: OpaqueSecret? = nil) async throws -> String? {
                try await desk.signIn.answeredErrand(
                    "corporate", sealed: sealed, browser: browser ?? desk.browser, held: held)
            }
            #expect(try await errand([current]) == nil)
            let session = try #require(try await answer(sealed, desk, current))
            #expect(try await errand([session]) == "journey")
            #expect(try await errand([session, current]) == nil)
            #expect(try await errand([]) == nil)
            let other = OpaqueSecret.make(.formBinding, random: .system)
            #expect(try await errand([session], browser: other) == nil)
        }
    }

    @Test func `attack: a yes counts in the browser that was asked, at its provider, while its page is fresh`()
        async throws
    {
        try await withDesk { desk in
            let current = try await somebody(desk)
            let sealed = try await question(desk, current)
            let other = OpaqueSecret.make(.formBinding, random: .system)
            #expect(try await answer(sealed, desk, current, browser: other) == nil)
            #expect(try await answer(sealed, desk, current, provider: "other") == nil)
            #expect(try await answer(try await desk.begin(), desk, current) == nil)
            desk.service.clock.advance(UpstreamSignIn.questionLifetime + .seconds(1))
            #expect(try await answer(sealed, desk, current) == nil)
            #expect(try await desk.service.sessions.peek(current.id) != nil)
        }
    }

    @Test(arguments: [false, true])
    func `attack: a yes to an answer from before an end of everything signs nobody in`(isOfUnused: Bool) async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-2")
            let theirs = try #require(try await desk.finish(try await desk.begin()).session)
            let current = try await somebody(desk)
            let sealed = try await question(desk, current)
            let root = isOfUnused ? EndingRoot.unused(of: theirs.subject) : .user(theirs.subject)
            _ = try await desk.service.endings.end(root, .sample(at: desk.service.clock.now))
            #expect(try await answer(sealed, desk, current) == nil)
            #expect(try await desk.failures() == ["stale"])
            #expect(try await desk.service.sessions.peek(current.id) != nil)
        }
    }

    @Test func `whoever signs in once more as the same user is asked nothing`() async throws {
        try await withDesk { desk in
            let current = try await somebody(desk)
            let outcome = try await desk.finish(try await desk.begin(), held: [current], replacing: current)
            #expect(outcome.session?.subject == current.subject)
        }
    }

    @Test func `a disabled user is refused, and nobody is asked about them`() async throws {
        try await withDesk { desk in
            let disabled = try await somebody(desk)
            try await desk.service.storage.change(
                disabled.subject, UserChange(isDisabled: true), ending: .sample(at: noon))
            desk.upstream.willName("u-2")
            let current = try #require(try await desk.finish(try await desk.begin()).session)
            desk.upstream.willName("u-1")
            let outcome = try await desk.finish(try await desk.begin(), held: [current], replacing: current)
            #expect(outcome.question == nil)
            #expect(outcome.session == nil)
            #expect(try await desk.failures() == ["user_disabled"])
        }
    }
}

private struct Question: Equatable {
    let current: Subject
    let proposed: Subject
    let sealed: String
    let errand: String
}

extension UpstreamSignIn.Outcome {
    fileprivate var question: Question? {
        guard case .asks(let current, let proposed, let sealed, let errand) = self else { return nil }
        return Question(current: current, proposed: proposed.subject, sealed: sealed, errand: errand)
    }
}
