import OAuth2

/// How far a node's chain was read, and what tells it from one that grew in its stead.
///
/// A database that was restored, or a standby that had not received everything, goes on under numbers that were used
/// before (ADR-0030). So a place has marks, the beginnings of hashes that were read: at its own event, which tells that
/// the chain is another one now, and at a few before it, which tell up to where the two are the same. No time is
/// compared for that, since clocks may have gone back as well.
struct AuditPlace: Hashable, Sendable {
    private(set) var sequence: Int64
    /// By sequence; without those that are not known.
    private(set) var marks: [Int64: String]

    /// Marks stand at the last multiple of each: what a database loses is its end, mostly a short one.
    private static let spans: [Int64] = [1, 1 << 10, 1 << 18, 1 << 26]
    /// Characters of a mark: 48 bits, which no two events share by chance.
    private static let markLength = 8

    init(sequence: Int64 = 0, marks: [Int64: String] = [:]) {
        self.sequence = sequence
        self.marks = marks
    }

    /// - Returns: `nil` for what does not begin as a hash does.
    static func mark(of hash: String?) -> String? {
        guard let bytes = hash?.utf8.prefix(markLength), bytes.count == markLength,
            bytes.allSatisfy(ASCII.isBase64URL)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what was handed out as a mark.
    static func mark(reading text: Substring) -> String? {
        text.utf8.count == markLength ? mark(of: String(text)) : nil
    }

    /// Where marks stand for a place.
    private static func markedSequences(upTo sequence: Int64) -> Set<Int64> {
        Set(spans.map { sequence / $0 * $0 }.filter { $0 > 0 })
    }

    /// Takes in that an event was read.
    mutating func advance(to entry: AuditEntry) {
        sequence = entry.sequence
        marks[sequence] = Self.mark(of: entry.hash)
        let kept = Self.markedSequences(upTo: sequence)
        marks = marks.filter { kept.contains($0.key) }
    }

    /// Whether the event at this place is known to have had another hash.
    func isContradicted(by hash: String?) -> Bool {
        guard let own = marks[sequence], let other = Self.mark(of: hash) else { return false }
        return own != other
    }

    /// With the marks of a chain as it is now, where they are not known.
    func marked(by head: AuditChainHead, in log: any AuditLog) async throws -> AuditPlace {
        guard sequence > 0, sequence <= head.sequence else { return self }
        let hashes = try await log.hashes(of: head.node, at: Self.markedSequences(upTo: sequence).sorted())
        guard !isContradicted(by: hashes[sequence]) else { return self }
        var place = self
        for (sequence, hash) in hashes where place.marks[sequence] == nil {
            place.marks[sequence] = Self.mark(of: hash)
        }
        return place
    }

    /// The last place before this one up to which a chain is the one that was read; its beginning, where no mark says so.
    func lastInCommon(with head: AuditChainHead, in log: any AuditLog) async throws -> AuditPlace {
        let known = marks.filter { $0.key < sequence && $0.key <= head.sequence }
        guard !known.isEmpty else { return AuditPlace() }
        let hashes = try await log.hashes(of: head.node, at: known.keys.sorted())
        guard let last = known.filter({ Self.mark(of: hashes[$0.key]) == $0.value }).keys.max() else {
            return AuditPlace()
        }
        return AuditPlace(sequence: last, marks: known.filter { $0.key <= last })
    }
}
