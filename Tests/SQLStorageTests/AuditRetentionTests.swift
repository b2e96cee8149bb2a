import Bridge
import Testing

@testable import SQLStorage

@Suite struct AuditRetentionTests {
    private static let now = Timestamp(milliseconds: 1_763_708_400_123)
    private let key: AuditSigningKey

    init() throws { key = try AuditSigningKey.generate(name: "localhost/test") }

    @Test func `a cut leaves a log that verifies and says what went`() async throws {
        try await TemporaryDatabase.with { database in
            for _ in 0..<3 {
                let storage = try database.open(node: "old", signer: key)
                try await storage.append((0..<4).map { .sample(reason: "r\($0)") })
                try await storage.close()
            }
            let storage = try database.open(node: "new", signer: key)
            let later = TimeSource.system.now() + .seconds(1)
            #expect(try await storage.purgeAudit(before: Self.now, at: later) == 0)
            // Every checkpoint but the last can be cut at: something must stay for the next event to follow.
            #expect(try await storage.purgeAudit(before: later, at: later) == 8)
            #expect(try await storage.purgeAudit(before: later, at: later) == 0)
            #expect(try await storage.records(of: "old", in: 1...100, limit: 100).map(\.sequence) == [9, 10, 11, 12])
            let found = try await storage.search(AuditFilter(type: .auditPurged), before: nil, limit: 10).records
            #expect(found.map(\.event.detail) == [#"{"node":"old","through":8}"#])
            let report = try await AuditReview(storage).verify(trusting: [key.verifierKey])
            #expect(report.problems == [])
        }
    }

    @Test func `a cut that nobody answers for is a theft`() async throws {
        try await TemporaryDatabase.with { database in
            for _ in 0..<2 {
                let storage = try database.open(node: "n", signer: key)
                try await storage.append((0..<4).map { .sample(reason: "r\($0)") })
                try await storage.close()
            }
            let storage = try database.open(node: "m", signer: key)
            try storage.onWriter("DELETE FROM audit_event WHERE node = 'n' AND sequence <= 4")
            let report = try await AuditReview(storage).verify(trusting: [key.verifierKey])
            #expect(report.problems == [.init(node: "n", sequence: 1, kind: .missing)])
        }
    }

    @Test func `a statement that a later cut would take is made anew`() async throws {
        try await TemporaryDatabase.with { database in
            for node in ["first", "first", "first"] {
                let storage = try database.open(node: node, signer: key)
                try await storage.append([.sample(), .sample()])
                try await storage.close()
            }
            let later = TimeSource.system.now() + .seconds(1)
            // "second" cuts "first", and then its own part with the statement in it.
            for _ in 0..<2 {
                let storage = try database.open(node: "second", signer: key)
                while try await storage.purgeAudit(before: later, at: later) > 0 {}
                try await storage.append([.sample(), .sample()])
                try await storage.close()
            }
            let storage = try database.open(node: "third", signer: key)
            while try await storage.purgeAudit(before: later + .seconds(60), at: later) > 0 {}
            let report = try await AuditReview(storage).verify(trusting: [key.verifierKey])
            #expect(report.problems == [])
        }
    }
}
