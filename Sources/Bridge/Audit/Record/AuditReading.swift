import OAuth2

/// What a row of the audit log's tables turned out to be.
///
/// A writer of the database can put anything into any column. One such row must not keep the rest of the log from
/// being read: it is named, and what follows it is read on.
package enum AuditReading<Value: Hashable & Sendable>: Hashable, Sendable {
    case intact(Value)
    case damaged(AuditDamage)

    package var value: Value? { if case .intact(let value) = self { value } else { nil } }

    package var damage: AuditDamage? { if case .damaged(let damage) = self { damage } else { nil } }
}

/// One place of a chain.
package typealias AuditEntry = AuditReading<AuditRecord>

extension AuditReading<AuditRecord> {
    package var node: String {
        switch self {
        case .intact(let record): record.node
        case .damaged(let damage): damage.node
        }
    }

    package var sequence: Int64 {
        switch self {
        case .intact(let record): record.sequence
        case .damaged(let damage): damage.sequence
        }
    }

    package var id: String { AuditRecord.id(node: node, sequence: sequence) }

    /// `nil` when that is what cannot be read.
    package var at: Timestamp? {
        switch self {
        case .intact(let record): record.event.at
        case .damaged(let damage): damage.at
        }
    }

    /// As the event claims it; `nil` when that is what cannot be read.
    package var hash: String? {
        switch self {
        case .intact(let record): record.hash
        case .damaged(let damage): damage.hash
        }
    }

    /// The record with the names of contract §8, or the damage's line.
    package var json: [UInt8] {
        switch self {
        case .intact(let record): record.json
        case .damaged(let damage): damage.json
        }
    }
}

/// A row that cannot be read as what it should be: where it is, and what is wrong with it. It quotes nothing of it but
/// what names its place.
package struct AuditDamage: Hashable, Sendable {
    /// Which of the log's three kinds of record cannot be read.
    package enum Part: String, Hashable, Sendable, CaseIterable { case event, checkpoint, cut }

    package let part: Part
    /// The name of the node, with U+FFFD for what is not text.
    package let node: String
    /// For a checkpoint, its size; for a cut, the last removed sequence; 0 when that is not a valid number.
    package let sequence: Int64
    /// The first column that cannot be read, by its name in contract §8.
    package let field: String
    /// When it says that it happened, if that much can be read.
    package var at: Timestamp?
    /// The hash that an event claims, if that much can be read: with it the chain can be followed past the event.
    package var hash: String?
    /// The line of an export that cannot be read; `nil` for a row of the tables.
    package var line: Int?

    package init(
        _ part: Part, node: String, sequence: Int64, field: String, at: Timestamp? = nil, hash: String? = nil
    ) {
        self.part = part
        self.node = node
        self.sequence = sequence
        self.field = field
        self.at = at
        self.hash = hash
    }

    /// For an event that can be read, and still is not what it should be.
    package init(_ record: AuditRecord, field: String) {
        self.init(
            .event, node: record.node, sequence: record.sequence, field: field, at: record.event.at, hash: record.hash)
    }

    package var id: String { AuditRecord.id(node: node, sequence: sequence) }

    /// A sentence for people.
    package var sentence: String { "this \(part.rawValue) cannot be read: \(field)" }
}

extension AuditDamage {
    /// What replaces an event in lists, streams and exports.
    package var json: [UInt8] {
        var writer = JSONObjectWriter()
        writer.add("damaged", field)
        writer.add("part", part.rawValue)
        writer.add("id", id)
        writer.add("node", node)
        writer.add("sequence", sequence)
        writer.add("at", at?.rfc3339)
        writer.add("hash", hash)
        return writer.finish()
    }

    /// Reads what ``json`` writes.
    init(json members: [String: JSONValue]) throws(AuditRecord.FieldError) {
        guard let part = Part(rawValue: try members.text("part")) else { throw .init(field: "part") }
        guard let sequence = members["sequence"]?.integer else { throw .init(field: "sequence") }
        self.init(part, node: try members.text("node"), sequence: sequence, field: try members.text("damaged"))
        if members["hash"] != nil { hash = try members.text("hash") }
        if members["at"] != nil {
            guard let instant = Timestamp(rfc3339: try members.text("at")) else { throw .init(field: "at") }
            at = instant
        }
        let known: Set = ["damaged", "part", "id", "node", "sequence", "at", "hash"]
        if let unknown = members.keys.filter({ !known.contains($0) }).min() { throw .init(field: unknown) }
        guard try members.text("id") == id else { throw .init(field: "id") }
    }
}
