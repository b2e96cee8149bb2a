import Bridge
import OAuth2

/// A part of one node's chain whose index is made, from `first` through `through`.
struct AuditSegment: Hashable, Sendable {
    let node: String
    let first: Int64
    let through: Int64

    /// Sequences of a full segment. A search reads at most so many events that no index covers yet, and looks into one
    /// piece of an index for so many that one does.
    static let size: Int64 = 8192

    /// The start of the segment that a sequence belongs to; the same for every process, so that two that seal the same
    /// segment write the same.
    static func first(of sequence: Int64, size: Int64) -> Int64 { (sequence - 1) / size * size + 1 }
}

/// What a search can look up in the index of a segment.
enum AuditField: Int64, CaseIterable, Sendable {
    // Most selective first: when a search names several, the first is looked up.
    case token = 1
    case session
    case subject
    case type
    case address

    var column: String {
        switch self {
        case .token: "token_id"
        case .session: "session_id"
        case .subject: "subject"
        case .type: "type"
        case .address: "address"
        }
    }

    /// The value as it is looked up; `nil` for everyday types, which are in every window of events.
    func indexed(_ value: String) -> String? {
        self == .type && AuditSQL.frequentTypes.contains(value) ? nil : value
    }
}

/// The index of a segment: for each field, in which events a value may occur.
///
/// A value's digest says which of the field's ``buckets`` it is in, and what it is called there. An entry is eight
/// characters: four of the digest, four of the event's distance from the segment's first. Two values may be called the
/// same, so a search reads the events themselves.
struct AuditSegmentIndex {
    /// Where a value is looked for.
    struct Place: Hashable {
        let bucket: Int64
        let tag: String

        init(of value: String) {
            let bytes = SHA256Hash(of: value).bytes
            bucket = Int64(bytes[0]) % AuditSegmentIndex.buckets
            tag = Base64URL.encode(bytes[1...3])
        }
    }

    /// Pieces that a field's entries are stored in, so that a search reads 2 KB of a segment and not 64.
    static let buckets: Int64 = 32

    /// One stored piece.
    struct Piece {
        let field: AuditField
        let bucket: Int64
        let entries: String
    }

    /// Milliseconds of the oldest and of the newest event; for a segment without events, what no search can ask for.
    private(set) var oldest = Int64.max
    private(set) var newest = Int64.min
    /// The pieces in the order of their key, such as have no entry among them.
    private var entries = [String](repeating: "", count: AuditField.allCases.count * Int(buckets))

    /// - Parameter rows: of ``AuditSegmentSQL/events``, whatever they hold.
    init(first: Int64, _ rows: [SQLRow]) {
        let fields = Array(AuditField.allCases.enumerated())
        // Events of one request are next to each other and say the same.
        var last = [(text: String, place: Place)?](repeating: nil, count: fields.count)
        for row in rows {
            guard case .integer(let sequence) = row.values[0] else { continue }
            cover(row.values[1])
            let suffix = Self.suffix(sequence - first)
            for (number, field) in fields {
                guard case .text(let text) = row.values[2 + number], let text = field.indexed(text) else { continue }
                let place: Place
                // By bytes: texts that Unicode takes for the same are two values to an engine.
                if let known = last[number], known.text.hasSameBytes(as: text) {
                    place = known.place
                } else {
                    place = Place(of: text)
                    last[number] = (text, place)
                }
                let piece = number * Int(Self.buckets) + Int(place.bucket)
                entries[piece] += place.tag
                entries[piece] += suffix
            }
        }
    }

    private static func suffix(_ distance: Int64) -> String {
        Base64URL.encode([16, 8, 0].map { UInt8(truncatingIfNeeded: distance >> $0) })
    }

    private mutating func cover(_ at: SQLValue) {
        switch at {
        case .integer(let number):
            oldest = min(oldest, number)
            newest = max(newest, number)
        // Not ours; searches compare it with whole numbers.
        case .foreign(.real(let number)):
            oldest = min(oldest, Int64(exactly: number.rounded(.down)) ?? .min)
            newest = max(newest, Int64(exactly: number.rounded(.up)) ?? .max)
        case .null, .text, .foreign: break
        }
        // A search begins before the largest number.
        newest = min(newest, .max - 1)
    }

    /// The pieces in the order of their key.
    var pieces: [Piece] {
        entries.enumerated().filter { !$0.element.isEmpty }.map { number, entries in
            let (field, bucket) = number.quotientAndRemainder(dividingBy: Int(Self.buckets))
            return Piece(field: AuditField.allCases[field], bucket: Int64(bucket), entries: entries)
        }
    }

    /// The events that a piece says a value may stand in, ascending as they were entered.
    ///
    /// A piece that was tampered with names wrong events or none, and whatever it names is read before it is believed.
    static func sequences(of tag: String, in entries: String, first: Int64) -> [Int64] {
        let bytes = Array(entries.utf8)
        let tag = Array(tag.utf8)
        var found: [Int64] = []
        for start in stride(from: 0, to: bytes.count - 7, by: 8) where bytes[start..<start + 4].elementsEqual(tag) {
            guard let distance = Base64URL.decode(String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)) else {
                continue
            }
            found.append(first &+ distance.reduce(0) { $0 << 8 | Int64($1) })
        }
        return found
    }
}
