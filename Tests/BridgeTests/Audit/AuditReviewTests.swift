import Bridge
import Foundation
import Testing

@Suite struct AuditReviewTests {
    let chain = AuditFixture.chain(1201)

    private func exported(_ log: FixedAuditLog, _ body: (String) throws -> Void) async throws {
        let output = ByteCollector()
        try await AuditExport(log).write(matching: AuditFilter(), as: .jsonLines) { output.append($0) }
        try write(output.bytes, body)
    }

    private func write(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test func `a store is verified page by page`() async throws {
        let key = try AuditFixture.key()
        let other = AuditFixture.chain(3, node: "b")
        let checkpoints = [
            try AuditFixture.checkpoint(chain, at: 1000, by: key), try AuditFixture.checkpoint(other, at: 3, by: key),
        ]
        let report = try await AuditReview(FixedAuditLog(chain + other, checkpoints: checkpoints))
            .verify(AuditVerificationTerms(trusting: [key.verifierKey]))
        #expect(report.isValid)
        #expect(report.events == 1204)
        #expect(report.checkpoints == 2)
    }

    @Test(arguments: [0, 499, 500, 999, 1199])
    func `an event that is gone from a store is found, also between pages`(index: Int) async throws {
        var records = chain
        records.remove(at: index)
        let report = try await AuditReview(FixedAuditLog(records)).verify(AuditVerificationTerms(trusting: []))
        #expect(report.problems == [.init(node: "a", sequence: Int64(index) + 1, kind: .missing)])
    }

    @Test func `an end that is gone from a store is found`() async throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 1201, by: key)
        let report = try await AuditReview(FixedAuditLog(Array(chain.dropLast()), checkpoints: [checkpoint]))
            .verify(AuditVerificationTerms(trusting: [key.verifierKey]))
        #expect(report.problems == [.init(node: "a", sequence: 1201, kind: .truncated)])
        let head = AuditChainHead(node: "a", sequence: 1201, hash: chain[1200].hash)
        let uncounted = try await AuditReview(FixedAuditLog(Array(chain.dropLast()), heads: [head]))
            .verify(AuditVerificationTerms(trusting: []))
        #expect(uncounted.problems == [.init(node: "a", sequence: 1201, kind: .missing)])
    }

    @Test func `an export is verified without its store`() async throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 1201, by: key)
        try await exported(FixedAuditLog(chain, checkpoints: [checkpoint])) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.isValid)
            #expect(report.events == 1201)
            #expect(report.checkpoints == 1)
            let untrusted = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: []))
            #expect(untrusted.problems.map(\.kind) == [.checkpointUnknownKey])
        }
    }

    @Test func `an export whose checkpoint stands anywhere is verified`() throws {
        let key = try AuditFixture.key()
        let lines = chain.prefix(5).map(\.json) + [try AuditFixture.checkpoint(chain, at: 2, by: key).json]
        try write(Array(lines.joined(separator: [0x0A])) + [0x0A]) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.isValid)
        }
    }

    @Test func `an export that was cut or edited is found`() async throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 1201, by: key)
        let cut = FixedAuditLog(Array(chain.dropLast(2)), checkpoints: [checkpoint])
        try await exported(cut) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: [key.verifierKey]))
            #expect(report.problems == [.init(node: "a", sequence: 1200, kind: .truncated)])
        }
    }

    @Test func `contract §8: a line of an export that cannot be read is a problem, and the lines behind it are read`()
        throws
    {
        var lines = chain.prefix(6).map { String(decoding: $0.json, as: UTF8.self) }
        lines[1] = "not json"
        lines[3] = lines[3].replacing(#""outcome":"success""#, with: #""outcome":"maybe""#)
        lines.append(#"{"checkpoint":{"node":"a","size":6,"at":"never"}}"#)
        try write(Array((lines.joined(separator: "\n") + "\n").utf8)) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: []))
            #expect(report.events == 4)
            #expect(
                report.problems == [
                    .init(node: nil, sequence: nil, kind: .unreadable, line: 2),
                    .init(node: "a", sequence: 2, kind: .missing),
                    .init(node: "a", sequence: 4, kind: .unreadable, field: "outcome", line: 4),
                    .init(node: "a", sequence: 6, kind: .unreadable, field: "checkpoint.at", line: 7),
                ])
            let first = #"{"node":null,"sequence":null,"id":null,"kind":"unreadable","line":2}"#
            #expect(report.json.contains(first))
        }
    }

    @Test func `an export whose last line is not finished has a problem there`() throws {
        let bytes = Array(chain.prefix(2).map(\.json).joined(separator: [0x0A]))
        try write(bytes) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: []))
            #expect(report.problems == [.init(node: "a", sequence: 2, kind: .unreadable, field: "end", line: 2)])
        }
        try write(Array(bytes.dropLast(9))) { path in
            let report = try AuditReview.verify(exportAt: path, AuditVerificationTerms(trusting: []))
            #expect(report.problems == [.init(node: nil, sequence: nil, kind: .unreadable, field: "end", line: 2)])
        }
    }

    @Test func `an export that is not there is an error`() throws {
        #expect(throws: (any Error).self) {
            try AuditReview.verify(exportAt: "/nonexistent", AuditVerificationTerms(trusting: []))
        }
    }
}
