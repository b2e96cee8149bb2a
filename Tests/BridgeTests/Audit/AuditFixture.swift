import Bridge
import Foundation
import Synchronization

/// Chains of records and a log that holds them.
enum AuditFixture {
    static let start = Timestamp(milliseconds: 1_800_000_000_123)

    static func key(_ name: String = "auth.example.com/audit", byte: UInt8 = 7) throws -> AuditSigningKey {
        try AuditSigningKey(name: name, seed: Secret([UInt8](repeating: byte, count: 32)))
    }

    /// - Parameter detail: JSON within JSON, so every line of an export has escapes; `nil` for lines without.
    static func event(_ number: Int64, detail: String? = #"{"length":7}"#) -> AuditEvent {
        AuditEvent(
            at: start + .milliseconds(number), type: .loginTokenRedeemed, outcome: .success, reason: "r\(number)",
            subject: "alice", clientID: "app", targetClientID: "web", sessionID: SessionID(rawValue: "s\(number)"),
            tokenID: TokenID(rawValue: "t\(number)"),
            origin: RequestOrigin(address: NetworkAddress("192.0.2.1"), userAgent: "Agent/1", requestID: "q\(number)"),
            detail: detail)
    }

    static func chain(
        _ count: Int64, node: String = "a", detail: String? = #"{"length":7}"#
    ) -> [AuditRecord] {
        var records: [AuditRecord] = []
        for sequence in 1...count {
            records.append(
                AuditRecord(
                    chaining: event(sequence, detail: detail), node: node, sequence: sequence,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    static func checkpoint(
        _ records: [AuditRecord], at size: Int64, by key: AuditSigningKey
    ) throws -> AuditCheckpoint {
        let record = records[Int(size) - 1]
        return try key.sign(
            node: record.node, size: size, hash: record.hash, at: record.event.at + .seconds(1))
    }
}

/// A log in memory, as tampered with as a test likes.
final class FixedAuditLog: AuditLog {
    private let all: [AuditEntry]
    private let signed: [AuditReading<AuditCheckpoint>]
    private let stated: [AuditReading<AuditCut>]
    private let lost: [AuditDamage]
    private let heads: [AuditChainHead]
    /// Comes last in a verification.
    private let beforeStrays: @Sendable () async throws -> Void

    private let checkpointReads = Mutex(0)

    private var events: [AuditRecord] { all.compactMap(\.value) }

    /// How often the checkpoints were asked for.
    var timesCheckpointsWereRead: Int { checkpointReads.withLock { $0 } }

    /// - Parameter heads: what the store says; the last record of each node unless given.
    convenience init(
        _ events: [AuditRecord], checkpoints: [AuditCheckpoint] = [], cuts: [AuditCut] = [],
        heads: [AuditChainHead]? = nil
    ) {
        self.init(
            entries: events.map(AuditEntry.intact), checkpoints: checkpoints.map(AuditReading.intact),
            cuts: cuts.map(AuditReading.intact), heads: heads)
    }

    init(
        entries: [AuditEntry], checkpoints: [AuditReading<AuditCheckpoint>] = [],
        cuts: [AuditReading<AuditCut>] = [], strays: [AuditDamage] = [], heads: [AuditChainHead]? = nil,
        beforeStrays: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.beforeStrays = beforeStrays
        all = entries
        signed = checkpoints
        stated = cuts
        lost = strays
        let last = Dictionary(grouping: entries, by: \.node).compactMap { node, entries in
            entries.max { $0.sequence < $1.sequence }.map {
                AuditChainHead(node: node, sequence: $0.sequence, hash: $0.value?.hash ?? "")
            }
        }
        self.heads = heads ?? last.sorted { $0.node < $1.node }
    }

    func append(_ events: [AuditEvent]) throws { throw StorageError.unavailable("fixed") }

    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) -> AuditPage {
        let found = events.filter { filter.subject == nil || $0.event.subject == filter.subject }
            .sorted { ($0.event.at, $0.sequence) > ($1.event.at, $1.sequence) }
            .filter { record in cursor.map { (record.event.at, record.sequence) < ($0.at, $0.sequence) } ?? true }
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last : nil
        return AuditPage(
            entries: page.map(AuditEntry.intact),
            next: next.map { AuditCursor(at: $0.event.at, node: $0.node, sequence: $0.sequence) })
    }

    func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) -> [AuditEntry] {
        Array(
            all.filter { $0.node == node && range.contains($0.sequence) }
                .sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    func chains() -> [AuditChainHead] { heads }

    func strays(limit: Int) async throws -> [AuditDamage] {
        try await beforeStrays()
        return Array(lost.prefix(limit))
    }

    func checkpoints() -> [AuditReading<AuditCheckpoint>] {
        checkpointReads.withLock { $0 += 1 }
        return signed
    }

    func cuts() -> [AuditReading<AuditCut>] { stated }

    func notes(of node: String, after position: AuditNotePosition, limit: Int) -> [AuditNote] {
        let checkpoints = signed.compactMap(\.value).filter { $0.node == node && $0.size > position.checkpoint }
        let cuts = stated.compactMap(\.value).filter { $0.node == node && $0.through > position.cut }
        let notes = checkpoints.prefix(limit).map(AuditNote.checkpoint) + cuts.prefix(limit).map(AuditNote.cut)
        return notes.sorted { $0.sequence < $1.sequence }
    }

    func hashes(of node: String, at sequences: [Int64]) -> [Int64: String] {
        let wanted = Set(sequences)
        let found = events.filter { $0.node == node && wanted.contains($0.sequence) }
        return Dictionary(found.map { ($0.sequence, $0.hash) }) { first, _ in first }
    }
}

extension AuditFixture {
    /// A cut behind a checkpoint, made a day later.
    static func cut(
        _ records: [AuditRecord], through: Int64, retention: Duration = .seconds(86_400), isAdopted: Bool = false,
        after delay: Duration = .seconds(2 * 86_400), by key: AuditSigningKey
    ) throws -> AuditCut {
        let record = records[Int(through) - 1]
        return try key.signCut(
            node: record.node, through: through, hash: record.hash, retention: retention, isAdopted: isAdopted,
            at: record.event.at + delay)
    }
}

/// Collects what an export writes.
final class ByteCollector: Sendable {
    private let content = Mutex<[UInt8]>([])

    var bytes: [UInt8] { content.withLock { $0 } }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func append(_ bytes: [UInt8]) { content.withLock { $0 += bytes } }
}
