import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

/// Writes whose first statements are run ahead, for several at once.
@Suite struct AnticipationTests {
    /// An engine to run on.
    enum Place: CaseIterable {
        case sqlite, postgres

        static var present: [Place] { allCases.filter { $0 == .sqlite || PostgresServer.isWanted } }

        /// Runs `body` with a storage that takes its database to be far away.
        func with(_ body: @Sendable (DurableStorage, WriterLog) async throws -> Void) async throws {
            let log = WriterLog()
            @Sendable func run(on storage: DurableStorage) async throws {
                let remote = DurableStorage(
                    engine: RemoteEngine(engine: storage.engine, log: log), auditor: .sample(node: "ahead"),
                    time: .system)
                for subject in ["alice", "bob"] as [Subject] {
                    try await remote.addUser(subject, at: Visit.now)
                }
                try await remote.append([.sample(reason: "first")])
                try await body(remote, log)
                try await remote.expectIntactChain(of: "ahead")
            }
            switch self {
            case .sqlite: try await TemporaryDatabase.with { try await run(on: try $0.open()) }
            case .postgres: try await PostgresDatabase.with { try await run(on: try await $0.open()) }
            }
        }
    }

    @Test(arguments: Place.present)
    func `redemptions that wait together are asked about once`(place: Place) async throws {
        try await place.with { storage, log in
            let visits = (0..<5).map { Visit(name: "t\($0)") }
            try await storage.issue(visits)
            log.clear()
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == visits.map { _ in .opened })
            #expect(log.entries.ahead == [15])
            #expect(log.entries.alone == [])
            #expect(log.entries.rollbacks == 0)
            for visit in visits { #expect(try await storage.session(id: visit.session.id) == visit.session) }
        }
    }

    @Test(arguments: Place.present)
    func `two redemptions of one token in a batch open one session, and nothing is undone`(place: Place) async throws {
        try await place.with { storage, log in
            let visits = [Visit(name: "t"), Visit(name: "t", sessionID: "second"), Visit(name: "u")]
            try await storage.issue([visits[0], visits[2]])
            log.clear()
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == [.opened, .alreadyUsed(visits[0].use), .opened])
            #expect(log.entries.ahead == [9])
            #expect(log.entries.rollbacks == 0)
            #expect(try await storage.session(id: "second") == nil)
        }
    }

    @Test(arguments: Place.present)
    func `a replay amid good redemptions is told of the first use, and nothing is undone`(place: Place) async throws {
        try await place.with { storage, log in
            let old = Visit(name: "old")
            let visits = [Visit(name: "a"), Visit(name: "old", sessionID: "again"), Visit(name: "b")]
            try await storage.issue([visits[0], old, visits[2]])
            #expect(try await storage.redeem(old) == .opened)
            log.clear()
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == [.opened, .alreadyUsed(old.use), .opened])
            #expect(log.entries.rollbacks == 0)
            #expect(try await storage.session(id: "again") == nil)
        }
    }

    @Test(arguments: Place.present)
    func `a user who is disabled earlier in the batch gets no session`(place: Place) async throws {
        try await place.with { storage, log in
            let visits = [Visit(name: "bob", subject: "bob"), Visit(name: "alice")]
            try await storage.issue(visits)
            log.clear()
            let outcomes: [Result<LoginTokenRedeemOutcome?, any Error>] = try await storage.inOneBatch([
                { try await storage.redeem(visits[0]) },
                {
                    _ = try await storage.disable("alice")
                    return nil
                },
                { try await storage.redeem(visits[1]) },
            ])
            #expect(try outcomes.values() == [.opened, nil, .revoked(at: Visit.now)])
            #expect(try await storage.session(id: "session-alice") == nil)
            // The disabling was seen by what was run ahead after it; that wrote, so it had to be undone.
            #expect(log.entries.ahead == [3, 3])
            #expect(log.entries.rollbacks == 1)
        }
    }

    @Test(arguments: Place.present)
    func `a user who is disabled later in the batch loses the session again`(place: Place) async throws {
        try await place.with { storage, _ in
            let visits = [Visit(name: "alice"), Visit(name: "bob", subject: "bob")]
            try await storage.issue(visits)
            let ended: [Result<[SessionID]?, any Error>] = try await storage.inOneBatch([
                { try await storage.redeem(visits[0]) == .opened ? [visits[0].session.id] : nil },
                { try await storage.disable("alice") },
                { try await storage.redeem(visits[1]) == .opened ? [visits[1].session.id] : nil },
            ])
            #expect(try ended.values() == [["session-alice"], ["session-alice"], ["session-bob"]])
            #expect(try await storage.session(id: "session-alice")?.endedAt == Visit.now)
            #expect(try await storage.session(id: "session-bob")?.endedAt == nil)
        }
    }

    @Test(arguments: Place.present)
    func `a session that the browser had ends with the redemption and not with a replay`(place: Place) async throws {
        try await place.with { storage, log in
            let first = [Visit(name: "a"), Visit(name: "b")]
            let second = [
                Visit(name: "c", replaced: "session-a"), Visit(name: "a", sessionID: "again", replaced: "session-b"),
            ]
            try await storage.issue(first + [second[0]])
            for visit in first { #expect(try await storage.redeem(visit) == .opened) }
            log.clear()
            let outcomes = try await storage.inOneBatch(second.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == [.opened, .alreadyUsed(first[0].use)])
            #expect(try await storage.session(id: "session-a")?.endedAt == Visit.now)
            #expect(try await storage.session(id: "session-b")?.endedAt == nil)
            #expect(log.entries.rollbacks == 1)
        }
    }
}
