/// Writes the audit log out, page by page.
package struct AuditExport: Sendable {
    /// The formats of an export (contract §8).
    package enum Format: String, Sendable, CaseIterable {
        /// JSON Lines, checkpoints and cuts included: what ``AuditExportReader`` reads back for verification.
        case jsonLines = "jsonl"
        case csv
        /// JSON Lines for other people's analysis tools; see ``AuditOCSF``.
        case ocsf = "ocsf.jsonl"
    }

    /// Takes a piece of the output; a slow one slows the reading down.
    package typealias Sink = ([UInt8]) async throws -> Void

    /// Records of a chain that are read at once.
    static let pageSize = 1000

    private let log: any AuditLog

    package init(_ log: any AuditLog) { self.log = log }

    /// What matches.
    ///
    /// Without a condition and a limit that is the whole log, node by node, oldest first; in JSON Lines with checkpoints
    /// and cuts, so that it can be verified later. What a search finds has the newest first and none of these, since a
    /// chain with gaps cannot be verified.
    /// - Parameter limit: how many entries at most.
    package func write(
        matching filter: AuditFilter, upTo limit: Int? = nil, as format: Format, to sink: Sink
    ) async throws {
        if filter == AuditFilter(), limit == nil {
            try await writeAll(as: format, to: sink)
        } else {
            try await writeFound(by: filter, upTo: limit ?? .max, as: format, to: sink)
        }
    }

    private func writeAll(as format: Format, to sink: Sink) async throws {
        // In this order: what a checkpoint covers was written before it, so it is in the events that follow.
        let checkpoints = try await format == .jsonLines ? log.checkpoints() : []
        let heads = try await log.chains()
        try await begin(format, sink)
        for checkpoint in checkpoints { try await sink(line(checkpoint, \.json)) }
        for head in heads {
            try await AuditChainReader(log, head: head).read { entries in try await sink(page(entries, format)) }
        }
        let strays = try await log.strays(limit: AuditVerificationReport.problemLimit)
        try await sink(page(strays.map(AuditEntry.damaged), format))
        // Last: what was cut meanwhile is covered as well.
        if format == .jsonLines { for cut in try await log.cuts() { try await sink(line(cut, \.json)) } }
    }

    private func writeFound(
        by filter: AuditFilter, upTo limit: Int, as format: Format, to sink: Sink
    ) async throws {
        try await begin(format, sink)
        var cursor: AuditCursor?
        var left = limit
        repeat {
            let found = try await log.search(filter, before: cursor, limit: min(left, AuditPage.sizes.upperBound))
            if !found.entries.isEmpty { try await sink(page(found.entries, format)) }
            left -= found.entries.count
            cursor = found.next
        } while cursor != nil && left > 0
    }

    private func begin(_ format: Format, _ sink: Sink) async throws {
        if format == .csv { try await sink(Array(AuditCSV.header.utf8)) }
    }

    private func line<Value>(_ reading: AuditReading<Value>, _ json: (Value) -> [UInt8]) -> [UInt8] {
        switch reading {
        case .intact(let value): json(value) + [0x0A]
        case .damaged(let damage): damage.json + [0x0A]
        }
    }

    private func page(_ entries: [AuditEntry], _ format: Format) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(entries.count * 768)
        for entry in entries {
            switch (format, entry) {
            case (.jsonLines, .intact(let record)): appendLine(record, to: &output)
            case (.jsonLines, .damaged(let damage)): output += damage.json + [0x0A]
            case (.ocsf, .intact(let record)):
                AuditOCSF.append(record, to: &output)
                output.append(0x0A)
            case (.ocsf, .damaged(let damage)): output += AuditOCSF.object(damage) + [0x0A]
            case (.csv, .intact(let record)): AuditCSV.appendRow(record, to: &output)
            case (.csv, .damaged(let damage)): AuditCSV.appendRow(damage, to: &output)
            }
        }
        return output
    }

    /// A line that no reader would take is worse than one that says so.
    private func appendLine(_ record: AuditRecord, to output: inout [UInt8]) {
        let start = output.count
        record.appendJSON(to: &output)
        if output.count - start > AuditExportReader.maximumLineLength {
            output.removeLast(output.count - start)
            output += AuditDamage(record, field: "length").json
        }
        output.append(0x0A)
    }
}

/// Writing texts of the export into one growing buffer, without a string in between.
extension [UInt8] {
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    mutating func append(decimal number: Int64) {
        let start = count
        var rest = number.magnitude
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        if number < 0 { append(UInt8(ascii: "-")) }
        self[start...].reverse()
    }
}
