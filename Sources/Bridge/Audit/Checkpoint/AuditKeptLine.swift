import OAuth2

/// What one line of a file with kept notes holds.
enum AuditKeptLine: Equatable {
    case note(AuditNote)
    /// It holds a note, or may hold one, that cannot be read.
    case malformed
    /// It is of a kind that holds no note.
    case nothing
    /// Perhaps a line of a plain signed note.
    case text

    /// How lines that hold notes begin, and events, which hold none: behind what a receiver, systemd, Kubernetes or
    /// Compose writes before a line.
    private static let starts = noteStarts + [#"{"time":""#, #"{"id":""#, #"{"damaged":""#].map { Array($0.utf8) }

    /// Those of them that no other program has.
    private static let noteStarts = [#"{"checkpoint":{"#, #"{"cut":{"#].map { Array($0.utf8) }

    /// The members in which `journalctl -o json` and Docker's files have a line of the service log.
    private static let wrappers = ["MESSAGE", "log"]

    /// What all lines of one kind have that this program writes and that hold no note: an event, one that cannot be read,
    /// an event in OCSF, the service log, the access log. What a request brought into one of them is no note of ours.
    private static let ours: [Set<String>] = [
        ["sequence", "previous_hash"], ["damaged", "part"], ["class_uid", "type_uid"],
        ["time", "level", "logger", "message"], ["time", "route", "request_id"],
    ]

    init(_ line: [UInt8]) {
        if let start = Self.start(of: line) {
            self = Self.object(line, from: start)
        } else {
            self = Self.holdsNote(line) ? .malformed : .text
        }
    }

    private static func start(of line: [UInt8]) -> Int? {
        let brace = UInt8(ascii: "{")
        if line.first == brace { return 0 }
        guard line.contains(brace) else { return nil }
        return starts.compactMap { line.firstRange(of: $0)?.lowerBound }.min()
    }

    private static func object(_ whole: [UInt8], from start: Int) -> AuditKeptLine {
        let line = Array(whole[start...])
        guard let members = JSONValue.parse(bytes: line)?.object else {
            // Behind something else it may be another program's, which quotes whatever it was sent.
            let isOurs = start == 0 || noteStarts.contains { whole.firstRange(of: $0) != nil }
            return isOurs || holdsNote(whole) ? .malformed : .nothing
        }
        let named = members["checkpoint"] ?? members["cut"]
        if named != nil || members["note"] != nil {
            let note = (named?.object ?? members)["note"]?.string.flatMap(AuditNote.init(note:))
            return note.map(AuditKeptLine.note) ?? .malformed
        }
        let names = Set(members.keys)
        if ours.contains(where: { names.isSuperset(of: $0) }) { return .nothing }
        for name in wrappers {
            guard let inner = members[name].flatMap(bytes) else { continue }
            let found = AuditKeptLine(inner)
            return found == .text ? .nothing : found
        }
        return holdsNote(line) ? .malformed : .nothing
    }

    /// A text, or the numbers that journald writes for one that is not printable.
    private static func bytes(_ value: JSONValue) -> [UInt8]? {
        if let text = value.string { return Array(text.utf8) }
        guard let numbers = value.array else { return nil }
        let bytes = numbers.compactMap { $0.integer.flatMap(UInt8.init(exactly:)) }
        return bytes.count == numbers.count ? bytes : nil
    }

    /// Bytes of an Ed25519 signature (RFC 8032 §5.1.6).
    private static let signatureLength = 64

    private static let marks = [#""note":""#, #"note=""#].map { Array($0.utf8) }

    /// Whether a note is in it in a form that is not known: as a member, however often it was quoted, in the words of a
    /// terminal, or as a plain signed note that somebody wrote something before.
    private static func holdsNote(_ line: [UInt8]) -> Bool {
        let bare = line.filter { $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: " ") }
        if marks.contains(where: { bare.firstRange(of: $0) != nil }) { return true }
        let text = String(decoding: line, as: UTF8.self)
        guard let mark = text.ranges(of: SignedNote.Signature.mark).last, mark.lowerBound > text.startIndex else {
            return false
        }
        let end = text[mark.lowerBound...].prefix { !$0.isNewline }
        return SignedNote.Signature(line: String(end))?.bytes.count == signatureLength
    }
}
