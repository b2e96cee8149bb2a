import Foundation

/// What an auditor does with the log: search, verify, take it along. The command line and the API call it.
package struct AuditReview: Sendable {
    private let log: any AuditLog

    package init(_ log: any AuditLog) { self.log = log }

    /// Events that match, newest first.
    /// - Parameter limit: cut to 1…500 (contract §13).
    package func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int = 50) async throws -> AuditPage {
        try await log.search(filter, before: cursor, limit: min(max(limit, 1), 500))
    }

    /// Verifies every chain in the store, while others go on writing.
    package func verify(trusting keys: [AuditVerifierKey]) async throws -> AuditVerificationReport {
        // Checkpoints first, then the chains' ends: the other way round, one signed in between would seem to cover
        // events that are missing.
        var verifier = AuditVerifier(checkpoints: try await log.checkpoints(), trusting: keys)
        let heads = try await log.chains()
        for head in heads {
            try await AuditChainReader(log, head: head).read { records in
                for record in records { verifier.take(record) }
            }
        }
        return verifier.finish(heads: heads)
    }

    /// Everything, node by node, oldest first; in JSON Lines with the checkpoints, so that it can be verified later.
    package func export(as format: AuditExport.Format, to sink: AuditExport.Sink) async throws {
        try await AuditExport(log).writeAll(as: format, to: sink)
    }

    /// What a search finds, newest first.
    package func export(
        matching filter: AuditFilter, as format: AuditExport.Format, to sink: AuditExport.Sink
    ) async throws {
        try await AuditExport(log).write(matching: filter, as: format, to: sink)
    }

    /// Verifies an export in JSON Lines without the store that it came from.
    ///
    /// The file is read twice: the checkpoints are needed before the events, wherever in the file they stand.
    /// - Throws: ``AuditExportReader/Problem`` for a file that is no export.
    package static func verify(
        exportAt path: String, trusting keys: [AuditVerifierKey]
    ) throws -> AuditVerificationReport {
        var checkpoints: [AuditCheckpoint] = []
        try read(path, wantsEvents: false) {
            if case .checkpoint(let checkpoint) = $0 { checkpoints.append(checkpoint) }
        }
        var verifier = AuditVerifier(checkpoints: checkpoints, trusting: keys)
        try read(path, wantsEvents: true) { if case .event(let record) = $0 { verifier.take(record) } }
        return verifier.finish()
    }

    private static func read(
        _ path: String, wantsEvents: Bool, _ entry: (AuditExportReader.Entry) -> Void
    ) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileReadNoSuchFile) }
        defer { try? file.close() }
        var reader = AuditExportReader(wantsEvents: wantsEvents)
        while let bytes = try file.read(upToCount: 262_144), !bytes.isEmpty {
            try reader.take(Array(bytes)[...]) {
                (found: AuditExportReader.Entry) throws(AuditExportReader.Problem) in entry(found)
            }
        }
        try reader.finish()
    }
}
