import Bridge
import Testing

@testable import SQLStorage

/// Every kind of tampering, done to the tables themselves, is found and named (contract §8).
struct AuditTampering: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: [SQLStatement]
    let kinds: Set<AuditProblemKind>

    static let all = [
        AuditTampering(
            testDescription: "edited", statements: ["UPDATE audit_event SET subject = 'mallory' WHERE sequence = 3"],
            kinds: [.edited]),
        AuditTampering(
            testDescription: "a field taken away",
            statements: ["UPDATE audit_event SET reason = NULL WHERE sequence = 3"],
            kinds: [.edited]),
        AuditTampering(
            testDescription: "removed", statements: ["DELETE FROM audit_event WHERE sequence = 3"], kinds: [.missing]),
        AuditTampering(
            testDescription: "inserted",
            statements: [
                "UPDATE audit_event SET sequence = sequence + 100 WHERE sequence > 3",
                "UPDATE audit_event SET sequence = sequence - 99 WHERE sequence > 100",
                """
                INSERT INTO audit_event (node, sequence, at, type, outcome, previous_hash, hash)
                SELECT node, 4, at, 'user.enabled', 'success', hash, hash FROM audit_event WHERE sequence = 3
                """,
            ], kinds: [.edited, .unlinked, .checkpointMismatch]),
        AuditTampering(
            testDescription: "reordered",
            statements: [
                "UPDATE audit_event SET sequence = 99 WHERE sequence = 2",
                "UPDATE audit_event SET sequence = 2 WHERE sequence = 3",
                "UPDATE audit_event SET sequence = 3 WHERE sequence = 99",
            ], kinds: [.edited, .unlinked]),
        AuditTampering(
            testDescription: "the end cut off", statements: ["DELETE FROM audit_event WHERE sequence > 4"],
            kinds: [.truncated]),
        AuditTampering(
            testDescription: "all but the last removed", statements: ["DELETE FROM audit_event WHERE sequence < 6"],
            kinds: [.missing]),
        AuditTampering(
            testDescription: "a checkpoint edited", statements: ["UPDATE audit_checkpoint SET size = size - 1"],
            kinds: [.checkpointMalformed]),
        AuditTampering(
            testDescription: "a checkpoint's note edited",
            statements: ["UPDATE audit_checkpoint SET note = replace(note, 'a', 'b')"],
            kinds: [.checkpointMalformed, .checkpointBadSignature, .checkpointUnknownKey]),
        AuditTampering(
            testDescription: "everything removed", statements: ["DELETE FROM audit_event"], kinds: [.truncated]),
    ]

    /// Six events with a checkpoint over all of them, tampered with, then verified.
    func check(
        _ storage: DurableStorage, key: AuditSigningKey, run: @Sendable (SQLStatement) throws -> Void
    ) async throws {
        try await storage.fillAndClose(with: 6)
        for statement in statements { try run(statement) }
    }
}

extension DurableStorage {
    /// So many events, and a checkpoint over all that there are.
    fileprivate func fillAndClose(with count: Int) async throws {
        try await append((0..<count).map { .sample(reason: "r\($0)") })
        try await close()
    }
}

@Suite struct AuditTamperTests {
    private let key: AuditSigningKey

    init() throws { key = try AuditSigningKey.generate(name: "localhost/test") }

    @Test func `an untouched log is valid`() async throws {
        try await TemporaryDatabase.with { database in
            try await database.open(node: "n", signer: key).fillAndClose(with: 6)
            let report = try await AuditReview(try database.open(node: "m", signer: key))
                .verify(AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.isValid && report.events == 6 && report.checkpoints == 1)
        }
    }

    @Test(arguments: AuditTampering.all)
    func `SQLite shows it`(_ tampering: AuditTampering) async throws {
        try await TemporaryDatabase.with { database in
            let tool = try database.open(node: "tool", signer: key)
            try await tampering.check(try database.open(node: "n", signer: key), key: key) {
                try tool.onWriter($0)
            }
            expect(try await AuditReview(tool).verify(AuditVerificationTerms(trusting: [key.verifierKey])), tampering)
        }
    }

    @Test(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"), arguments: AuditTampering.all)
    func `PostgreSQL shows it`(_ tampering: AuditTampering) async throws {
        try await PostgresDatabase.with { database in
            let storage = try await PostgresStorage.open(
                database.address, node: "n", signer: key, readers: 1, logger: .silent)
            try await tampering.check(storage, key: key) { _ = try database.session().run($0) }
            let review = AuditReview(try await database.open(node: "m"))
            expect(try await review.verify(AuditVerificationTerms(trusting: [key.verifierKey])), tampering)
        }
    }

    @Test func `SQLite shows that the begin was cut off at a checkpoint, without a statement of it`() async throws {
        try await TemporaryDatabase.with { database in
            let tool = try database.open(node: "tool", signer: key)
            for count in [6, 3] { try await database.open(node: "n", signer: key).fillAndClose(with: count) }
            try tool.onWriter("DELETE FROM audit_event WHERE sequence <= 6")
            let report = try await AuditReview(tool).verify(AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.problems.map(\.kind) == [.missing])
        }
    }

    @Test(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
    func `PostgreSQL shows that the begin was cut off at a checkpoint, without a statement of it`() async throws {
        try await PostgresDatabase.with { database in
            for count in [6, 3] {
                try await PostgresStorage.open(
                    database.address, node: "n", signer: key, readers: 1, logger: .silent
                ).fillAndClose(with: count)
            }
            _ = try database.session().run("DELETE FROM audit_event WHERE sequence <= 6")
            let review = AuditReview(try await database.open(node: "m"))
            let report = try await review.verify(AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.problems.map(\.kind) == [.missing])
        }
    }

    private func expect(_ report: AuditVerificationReport, _ tampering: AuditTampering) {
        let kinds = Set(report.problems.map(\.kind))
        #expect(!report.isValid && !kinds.isEmpty, "\(tampering.testDescription)")
        #expect(kinds.isSubset(of: tampering.kinds.union([.truncated])), "\(report.problems)")
        #expect(!kinds.isDisjoint(with: tampering.kinds), "\(report.problems)")
    }
}
