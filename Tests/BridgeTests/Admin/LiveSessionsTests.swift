import Testing

@testable import Bridge

@Suite struct LiveSessionsTests {
    /// Opens a session of each user, a second after each other.
    private func open(_ service: Service, _ users: [Subject]) async throws -> [SessionID] {
        var opened: [SessionID] = []
        for user in users {
            let token = try await service.issue(subject: user).token
            opened.append(try #require(try await service.open(token).opened).session.id)
            service.clock.advance(.seconds(1))
        }
        return opened
    }

    @Test func `what lives is listed newest first, page by page, and what ended is not`() async throws {
        try await withService { service async throws in
            let opened = try await open(service, ["a", "b", "c", "d", "e"])
            try await service.endings.end(
                .webSession(opened[3]), .signOut(origin: origin(), at: service.clock.now))
            let live = LiveSessions(store: service.storage)
            var found: [String] = []
            var cursor: AuditCursor?
            repeat {
                let page = try await live.page(
                    of: .web, client: nil, before: cursor, limit: 2, at: service.clock.now)
                #expect(page.found.count <= 2)
                found += page.found.map(\.session.subject.rawValue)
                cursor = page.next
            } while cursor != nil
            #expect(found == ["e", "c", "b", "a"])
        }
    }

    @Test func `a session that lay unused for too long is not listed`() async throws {
        try await withService { service async throws in
            _ = try await open(service, ["a"])
            service.clock.advance(.seconds(600))
            let page = try await LiveSessions(store: service.storage).page(
                of: .web, client: nil, before: nil, limit: 10, at: service.clock.now)
            #expect(page.found.isEmpty && page.next == nil)
        }
    }

    @Test func `the sessions of one client, with where they were opened`() async throws {
        try await withService { service async throws in
            _ = try await open(service, ["a"])
            let live = LiveSessions(store: service.storage)
            func found(_ kind: SessionOverview.Kind, _ client: ClientID) async throws -> [LiveSessions.Found] {
                try await live.page(of: kind, client: client, before: nil, limit: 10, at: service.clock.now).found
            }
            let session = try #require(try await found(.web, website).first)
            #expect(session.trace.address == origin().address)
            #expect(try await found(.web, "another").isEmpty)
            #expect(try await found(.app, website).isEmpty)
        }
    }
}
