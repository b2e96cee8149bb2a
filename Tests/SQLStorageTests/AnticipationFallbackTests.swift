import Bridge
import Synchronization
import Testing

@testable import SQLStorage

/// What happens when a write does not go the way that it was thought to go.
@Suite struct AnticipationFallbackTests {
    typealias Place = AnticipationTests.Place

    private static let addUser: SQLStatement =
        "INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ($1, 'i', 1)"
    private static let issuer: SQLStatement = "SELECT issuer FROM app_user WHERE subject = $1"
    private static let rename: SQLStatement = "UPDATE app_user SET issuer = $2 WHERE subject = $1"

    @Test(arguments: Place.present)
    func `a session that was opened ahead for a revoked token is undone`(place: Place) async throws {
        try await place.with { storage, log in
            let visits = [Visit(name: "good"), Visit(name: "revoked")]
            try await storage.issue(visits)
            _ = try await storage.revoke(
                visits[1].token, at: Visit.now, event: .sample(.loginTokenRevoked, reason: "revoked"))
            log.clear()
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes.values() == [.opened, .revoked(at: Visit.now)])
            #expect(log.entries.rollbacks == 1)
            #expect(try await storage.session(id: "session-revoked") == nil)
            #expect(try await storage.session(id: "session-good") != nil)
        }
    }

    @Test(arguments: Place.present)
    func `a statement that fails ahead undoes its own write alone`(place: Place) async throws {
        try await place.with { storage, _ in
            let taken = Visit(name: "taken")
            let visits = [Visit(name: "a"), Visit(name: "bad", sessionID: taken.session.id), Visit(name: "b")]
            try await storage.issue(visits + [taken])
            #expect(try await storage.redeem(taken) == .opened)
            let outcomes = try await storage.inOneBatch(visits.map { visit in { try await storage.redeem(visit) } })
            #expect(try outcomes[0].get() == .opened)
            #expect(throws: StorageError.self) { try outcomes[1].get() }
            #expect(try outcomes[2].get() == .opened)
            #expect(try await storage.state(of: "bad")?.status == .pending)
        }
    }

    @Test(arguments: Place.present)
    func `what a write said it would write and did not is not there`(place: Place) async throws {
        try await place.with { storage, log in
            log.clear()
            let found = try await storage.write(anticipating: [SQLCall(Self.addUser, [.text("carol")])]) {
                transaction in
                try transaction.record(.sample(reason: "another way"))
                return try transaction.run(Self.issuer, [.text("carol")])
            }
            #expect(found == [])
            #expect(log.entries.rollbacks == 1)
            #expect(try await storage.standing(of: "carol") == .unknown)
        }
    }

    @Test(arguments: Place.present)
    func `an answer from before its turn is not used`(place: Place) async throws {
        try await place.with { storage, _ in
            let calls = [SQLCall(Self.issuer, [.text("bob")]), SQLCall(Self.issuer, [.text("alice")])]
            let found = try await storage.write(anticipating: calls) { transaction in
                _ = try transaction.run(calls[0])
                // Said nothing of this one.
                #expect(try transaction.changes(Self.rename, [.text("alice"), .text("changed")]))
                return try transaction.run(calls[1])
            }
            #expect(found.map(\.values) == [[.text("changed")]])
        }
    }

    @Test(arguments: Place.present)
    func `what an earlier write of the batch changes unforeseen is seen by a later one`(place: Place) async throws {
        try await place.with { storage, log in
            log.clear()
            let found: [Result<[SQLRow], any Error>] = try await storage.inOneBatch([
                {
                    try await storage.write(anticipating: []) { transaction in
                        try transaction.run(Self.rename, [.text("alice"), .text("changed")])
                    }
                },
                {
                    let call = SQLCall(Self.issuer, [.text("alice")])
                    return try await storage.write(anticipating: [call]) { try $0.run(call) }
                },
            ])
            #expect(try found[1].get().map(\.values) == [[.text("changed")]])
            #expect(log.entries.rollbacks == 1)
        }
    }

    @Test(arguments: Place.present)
    func `a write that withdraws costs its neighbours nothing`(place: Place) async throws {
        try await place.with { storage, _ in
            let visit = Visit(name: "t")
            try await storage.issue([visit])
            let outcomes: [Result<LoginTokenRedeemOutcome, any Error>] = try await storage.inOneBatch([
                {
                    let call = SQLCall(Self.addUser, [.text("carol")])
                    return try await storage.write(anticipating: [call]) { transaction in
                        _ = try transaction.changes(call)
                        throw Withdrawn(outcome: LoginTokenRedeemOutcome.revoked(at: Visit.now))
                    }
                },
                { try await storage.redeem(visit) },
            ])
            #expect(try outcomes.values() == [.revoked(at: Visit.now), .opened])
            #expect(try await storage.standing(of: "carol") == .unknown)
        }
    }
}
