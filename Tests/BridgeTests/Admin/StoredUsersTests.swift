import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct StoredUsersTests {
    private func withUsers(
        keepingPasswords: Bool = true, _ body: (UserRegister, Provider) async throws -> Void
    ) async throws {
        let cost = try #require(PasswordCost(logarithm: 10, blockSize: 1, parallelism: 1))
        try await withProvider { provider async throws in
            try await body(
                UserRegister(
                    storage: provider.service.storage, endings: provider.service.endings,
                    passwords: keepingPasswords ? PasswordHasher(cost: cost) : nil,
                    time: provider.service.clock.source), provider)
        }
    }

    private func action(_ provider: Provider, reason: String? = nil) -> AdminAction {
        AdminAction(
            actor: .client("operator"), reason: reason, origin: origin(), at: provider.service.clock.now)
    }

    private func add(_ name: String, _ users: UserRegister, _ provider: Provider) async throws -> UserOverview? {
        try await users.add(
            Account(subject: Subject(rawValue: name), username: Username(name), createdAt: noon),
            password: Secret("correct horse"), action: action(provider))
    }

    private func isChanged(_ outcome: UserChangeOutcome) -> Bool {
        if case .changed = outcome { true } else { false }
    }

    private func browser(_ provider: Provider, subject: Subject = "alice") async throws -> WebSession {
        let answer = try await provider.service.issue(subject: subject)
        return try #require(try await provider.service.open(answer.token).opened).session
    }

    @Test func `contract §1.3: no account is added with which the next start would be refused`() async throws {
        try await withProvider { provider async throws in
            let service = provider.service
            let users = UserRegister(
                storage: service.storage, endings: service.endings, passwords: PasswordHasher(cost: .light),
                takesAccounts: false, time: service.clock.source)
            let refused = await #expect(throws: OAuthError.self) { _ = try await add("alice", users, provider) }
            #expect(refused?.code == .invalidRequest)
            #expect(try await !service.storage.hasAccounts())
        }
    }

    @Test func `a user is added with a password that is kept as a hash, once`() async throws {
        try await withUsers { users, provider in
            let alice = try #require(try await add("alice", users, provider))
            #expect(alice.username == "alice")
            #expect(alice.issuer == Account.issuer)
            #expect(!alice.hasSecondFactor)
            let account = try #require(try await provider.service.storage.account(of: "alice"))
            #expect(try account.passwordHash?.matches(Secret("correct horse")) == true)
            #expect(try await add("alice", users, provider) == nil)
            let event = try await provider.service.storage.search(
                AuditFilter(type: .userCreated), before: nil, limit: 10
            ).records.first?.event
            #expect(event?.detail == #"{"actor":"client:operator"}"#)
        }
    }

    @Test(arguments: [UserChange(isDisabled: true), UserChange()])
    func `contract §7: an administrator finds nothing alive here of whom another node was quicker to disable`(
        _ change: UserChange
    ) async throws {
        try await withUsers { users, provider in
            let service = provider.service
            _ = try await add("alice", users, provider)
            let session = try await browser(provider)
            try await service.sessions.refresh()
            #expect(try await service.sessions.lookUp(session.id) != nil)
            _ = try await service.storage.changeUser(
                "alice", UserChange(isDisabled: true),
                events: { type, _ in action(provider).event(type, subject: "alice") },
                ending: .sample(at: service.clock.now))
            // Not heard here yet.
            #expect(try await service.sessions.lookUp(session.id) != nil)
            let password = change.isDisabled == nil ? Secret("another correct horse") : nil
            _ = try await users.change("alice", change, password: password, action: action(provider))
            #expect(try await service.sessions.lookUp(session.id) == nil)
        }
    }

    @Test func `where nobody signs in with a password, nobody is added`() async throws {
        try await withUsers(keepingPasswords: false) { users, provider async throws in
            await #expect(throws: StorageError.self) { try await add("alice", users, provider) }
            let outcome = try await users.change(
                "alice", UserChange(), password: Secret("correct horse"), action: action(provider))
            #expect(outcome == .noAccount)
        }
    }

    @Test func `users are found by subject, and listed page by page`() async throws {
        try await withUsers { users, provider in
            for name in ["carol", "alice", "bob"] { _ = try await add(name, users, provider) }
            let first = try await users.page(after: nil, limit: 2)
            #expect(first.users.map(\.subject) == ["alice", "bob"] && first.next == "bob")
            let second = try await users.page(after: "bob", limit: 1)
            #expect(second.users.map(\.subject) == ["carol"] && second.next == nil)
            #expect(try await users.user("bob")?.username == "bob")
            #expect(try await users.user("unheard-of") == nil)
        }
    }

    @Test func `contract §7: a new password ends the user's sessions, here at once`() async throws {
        try await withUsers { users, provider in
            _ = try await add("alice", users, provider)
            let session = try await browser(provider)
            func change(_ subject: Subject) async throws -> UserChangeOutcome {
                try await users.change(
                    subject, UserChange(), password: Secret("another one"), action: action(provider))
            }
            #expect(isChanged(try await change("alice")))
            #expect(try await provider.service.sessions.lookUp(session.id) == nil)
            let account = try #require(try await provider.service.storage.account(of: "alice"))
            #expect(try account.passwordHash?.matches(Secret("another one")) == true)
            #expect(try await change("unheard-of") == .noAccount)
        }
    }

    @Test func `disabling ends the user's sessions, and what is so already stays so without an event`() async throws {
        try await withUsers { users, provider in
            let session = try await browser(provider)
            func set(_ disabled: Bool, _ subject: Subject = "alice") async throws -> UserChangeOutcome {
                try await users.change(
                    subject, UserChange(isDisabled: disabled), password: nil,
                    action: action(provider, reason: "left the company"))
            }
            #expect(isChanged(try await set(true)))
            #expect(try await set(true) == .unchanged)
            #expect(try await users.user("alice")?.disabledAt == provider.service.clock.now)
            #expect(try await provider.service.sessions.lookUp(session.id) == nil)
            #expect(isChanged(try await set(false)))
            #expect(try await users.user("alice")?.disabledAt == nil)
            #expect(try await set(true, "unheard-of") == .unchanged)
            #expect(
                try await provider.service.events().filter { $0.hasPrefix("user.") } == [
                    "user.disabled left the company", "user.enabled left the company",
                ])
        }
    }

    @Test func `the event of a change by a person says when that person signed in`() async throws {
        try await withUsers { users, provider in
            _ = try await add("alice", users, provider)
            let action = AdminAction(
                actor: .account("root"), origin: origin(), at: provider.service.clock.now,
                signedInAt: noon - .seconds(60))
            _ = try await users.change("alice", UserChange(), password: Secret("another one"), action: action)
            let event = try await provider.service.storage.search(
                AuditFilter(type: .userPasswordChanged), before: nil, limit: 10
            ).records.first?.event
            #expect(event?.detail == #"{"actor":"account:root","signed_in_at":"2026-11-21T06:59:00.000Z"}"#)
        }
    }

    @Test func `the events of what a person ends say when that person signed in`() async throws {
        try await withUsers { users, provider in
            _ = try await browser(provider)
            let action = AdminAction(
                actor: .account("root"), origin: origin(), at: provider.service.clock.now,
                signedInAt: noon - .seconds(60))
            #expect(try await users.endSessions(of: "alice", action: action) == 1)
            let event = try await provider.service.storage.search(
                AuditFilter(type: .webSessionEnded), before: nil, limit: 10
            ).records.first?.event
            #expect(event?.detail == #"{"actor":"account:root","signed_in_at":"2026-11-21T06:59:00.000Z"}"#)
        }
    }

    @Test func `standard claims are replaced for accounts alone`() async throws {
        try await withUsers { users, provider in
            _ = try await add("alice", users, provider)
            let claims = try StandardClaims(["given_name": .string("Alice")])
            func set(_ subject: Subject) async throws -> UserChangeOutcome {
                try await users.change(
                    subject, UserChange(claims: claims), password: nil, action: action(provider))
            }
            #expect(isChanged(try await set("alice")))
            #expect(try await users.user("alice")?.claims == claims)
            #expect(try await set("unheard-of") == .noAccount)
        }
    }

    @Test func `a change of a user as somebody saw them is not made once they are another`() async throws {
        try await withUsers { users, provider in
            _ = try await add("alice", users, provider)
            let seen = try #require(try await users.user("alice"))
            func change(
                _ claims: [String: JSONValue], password: Secret<String>? = nil
            ) async throws -> UserChangeOutcome {
                var change = UserChange(claims: try StandardClaims(claims))
                change.seen = seen
                return try await users.change("alice", change, password: password, action: action(provider))
            }
            #expect(isChanged(try await change(["nickname": .string("Al")])))
            #expect(try await change(["locale": .string("en")], password: Secret("another")) == .changedMeanwhile)
            let account = try #require(try await provider.service.storage.account(of: "alice"))
            #expect(account.claims.values == ["nickname": .string("Al")])
            #expect(try account.passwordHash?.matches(Secret("correct horse")) == true)
        }
    }

    @Test func `the event of changed claims names them, and not what they say`() async throws {
        try await withUsers { users, provider in
            _ = try await add("alice", users, provider)
            let claims = try StandardClaims(["groups": .array([.string("board")])])
            _ = try await users.change(
                "alice", UserChange(claims: claims), password: nil, action: action(provider))
            let event = try await provider.service.storage.search(
                AuditFilter(type: .userClaimsChanged), before: nil, limit: 10
            ).records.first?.event
            #expect(event?.detail == #"{"actor":"client:operator","fields":["groups"]}"#)
        }
    }

    @Test func `a user's sessions are the apps', then the browsers', and all end together`() async throws {
        try await withUsers { users, provider in
            let tokens = try await provider.signIn()
            _ = try await browser(provider)
            let sessions = try await users.sessions(of: "alice", before: nil, limit: 10)
            // Of the browsers one is that in which the app signed in.
            #expect(sessions.map(\.kind) == [.app, .web, .web])
            #expect(sessions.allSatisfy { $0.isAlive(at: provider.service.clock.now) })
            #expect(try await users.sessions(of: "alice", before: sessions.last?.id, limit: 10).isEmpty)
            #expect(try await users.endSessions(of: "alice", action: action(provider)) == 3)
            #expect(try await users.endSessions(of: "alice", action: action(provider)) == 0)
            let now = provider.service.clock.now
            await #expect(throws: BearerRefusal.inactive) {
                try await provider.accessTokens.active(tokens.accessToken, at: now)
            }
        }
    }

    @Test(arguments: 1...6)
    func `contract §13: a user's sessions are walked page by page, every app's and then every browser's`(
        limit: Int
    ) async throws {
        try await withUsers { users, provider in
            // Three of the apps' are of one instant.
            for instant in 0..<5 {
                if instant > 2 { provider.service.clock.advance(.seconds(1)) }
                _ = try await provider.signIn()
            }
            var found: [SessionOverview] = []
            var cursor: SessionID?
            repeat {
                let page = try await users.sessions(of: "alice", before: cursor, limit: limit)
                #expect(page.count <= limit)
                found += page
                cursor = page.last?.id
            } while cursor != nil
            #expect(found.map(\.kind) == [.app, .app, .app, .app, .app, .web, .web, .web, .web, .web])
            #expect(Set(found.map(\.id)).count == 10)
            let moments = found.map(\.createdAt)
            #expect(moments.prefix(5).elementsEqual(moments.prefix(5).sorted(by: >)))
        }
    }

    @Test func `many sessions of apps hide none of the browsers' on the console's page`() async throws {
        try await withUsers { users, provider in
            for _ in 0..<3 { _ = try await provider.signIn() }
            #expect(try await users.newestSessions(of: "alice", limit: 2).map(\.kind) == [.app, .app, .web, .web])
        }
    }

    @Test func `browsers that have ended hide none that lives on the console's page`() async throws {
        try await withUsers { users, provider in
            let living = try await browser(provider)
            for _ in 0..<3 {
                provider.service.clock.advance(.seconds(1))
                let ended = try await browser(provider)
                #expect(try await users.endSession(ended.id, action: action(provider)))
            }
            let now = provider.service.clock.now
            let shown = try await users.newestSessions(of: "alice", limit: 2)
            #expect(shown.map { $0.isAlive(at: now) } == [false, false, true])
            #expect(shown.last?.id == living.id)
        }
    }

    @Test func `an app's session that ended between two pages takes none of those after it along`() async throws {
        try await withUsers { users, provider in
            for _ in 0..<3 {
                _ = try await provider.signIn()
                provider.service.clock.advance(.seconds(1))
            }
            let all = try await users.sessions(of: "alice", before: nil, limit: 10)
            #expect(try await users.endSession(all[0].id, action: action(provider)))
            let rest = try await users.sessions(of: "alice", before: all[0].id, limit: 10)
            #expect(rest.map(\.id) == all.dropFirst().map(\.id))
        }
    }

    @Test func `a cursor is a session of the user, an app's or a browser's, and nothing else`() async throws {
        try await withUsers { users, provider in
            _ = try await provider.signIn()
            for session in try await users.sessions(of: "alice", before: nil, limit: 10) {
                let found = try await refusal {
                    try await users.sessions(of: "bob", before: session.id, limit: 10)
                }
                #expect(found == "invalid_request ")
            }
            #expect(
                try await refusal { try await users.sessions(of: "alice", before: "unheard-of", limit: 10) }
                    == "invalid_request ")
        }
    }

    @Test func `one session is ended with what hangs under it, once`() async throws {
        try await withUsers { users, provider in
            _ = try await provider.signIn()
            let web = try await browser(provider)
            let app = try #require(try await users.sessions(of: "alice", before: nil, limit: 10).first)
            for id in [app.id, web.id] {
                #expect(try await users.endSession(id, action: action(provider)))
                #expect(try await !users.endSession(id, action: action(provider)))
            }
            #expect(try await !users.endSession("unheard-of", action: action(provider)))
            #expect(
                try await provider.service.events().filter { $0.contains("ended") } == [
                    "app_session.ended administrator", "web_session.ended administrator",
                ])
        }
    }
}
