/// Writes the audit log out, page by page.
package struct AuditExport: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// JSON Lines, checkpoints included: what ``AuditExportReader`` reads back for verification.
        case jsonLines = "jsonl"
        case csv
        /// JSON Lines for other people's analysis tools; see ``AuditOCSF``.
        case ocsf = "ocsf.jsonl"
    }

    /// Takes a piece of the output; a slow one slows the reading down.
    package typealias Sink = ([UInt8]) async throws -> Void

    /// Records of a chain that are read at once; of a search, which gives no more than 500.
    static let pageSize = 1000
    private static let searchSize = 500

    private let log: any AuditLog

    package init(_ log: any AuditLog) { self.log = log }

    /// Everything, node by node, oldest first.
    package func writeAll(as format: Format, to sink: Sink) async throws {
        // In this order: what a checkpoint covers was written before it, so it is in the events that follow.
        let checkpoints = try await log.checkpoints()
        let heads = try await log.chains()
        try await begin(format, sink)
        if format == .jsonLines {
            for checkpoint in checkpoints { try await sink(checkpoint.json + [0x0A]) }
        }
        for head in heads {
            try await AuditChainReader(log, head: head).read { records in try await sink(page(records, format)) }
        }
    }

    /// What a search finds, newest first; without checkpoints, since a chain with gaps cannot be verified.
    package func write(matching filter: AuditFilter, as format: Format, to sink: Sink) async throws {
        try await begin(format, sink)
        var cursor: AuditCursor?
        repeat {
            let found = try await log.search(filter, before: cursor, limit: Self.searchSize)
            if !found.records.isEmpty { try await sink(page(found.records, format)) }
            cursor = found.next
        } while cursor != nil
    }

    private func begin(_ format: Format, _ sink: Sink) async throws {
        if format == .csv { try await sink(Array(AuditCSV.header.utf8)) }
    }

    private func page(_ records: [AuditRecord], _ format: Format) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(records.count * 768)
        for record in records {
            switch format {
            case .jsonLines:
                record.appendJSON(to: &output)
                output.append(0x0A)
            case .ocsf:
                AuditOCSF.append(record, to: &output)
                output.append(0x0A)
            case .csv: AuditCSV.appendRow(record, to: &output)
            }
        }
        return output
    }
}
