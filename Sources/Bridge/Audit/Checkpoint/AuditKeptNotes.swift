import OAuth2

/// Signed notes that were kept outside of the database, read from whatever they were kept in: plain signed notes, an
/// export, what a forwarder sent, the service log, a syslog receiver's file.
package struct AuditKeptNotes: Sendable {
    package private(set) var notes: [AuditNote] = []
    /// Lines that should be a note and are not, from 1.
    package private(set) var malformedLines: [Int] = []

    package init() {}

    package init(_ bytes: some Collection<UInt8>) {
        var lines: [(number: Int, text: String)] = []
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let text = String(decoding: line, as: UTF8.self)
            if let last = lines.last, last.text.hasPrefix(SignedNote.Signature.mark),
                !text.hasPrefix(SignedNote.Signature.mark)
            {
                finish(&lines)
            }
            if line.first == UInt8(ascii: "{") {
                take(json: Array(line), number: number)
                continue
            }
            if let start = Self.jsonStarts.compactMap({ text.firstRange(of: $0)?.lowerBound }).min() {
                take(json: Array(text[start...].utf8), number: number)
                continue
            }
            // What is between two notes belongs to none.
            if !lines.isEmpty || !text.isEmpty { lines.append((number, text)) }
        }
        if lines.contains(where: { $0.text.hasPrefix(SignedNote.Signature.mark) }) { finish(&lines) }
    }

    package mutating func append(_ others: AuditKeptNotes) {
        notes += others.notes
        malformedLines += others.malformedLines
    }

    /// What a syslog receiver writes before a message is its own affair.
    private static let jsonStarts = [#"{"checkpoint":{"#, #"{"cut":{"#]

    private mutating func finish(_ lines: inout [(number: Int, text: String)]) {
        let text = lines.map { $0.text + "\n" }.joined()
        if let note = AuditNote(note: text) {
            notes.append(note)
        } else {
            malformedLines.append(lines.first?.number ?? 0)
        }
        lines = []
    }

    /// An event's line, or a log's other lines, hold no note.
    private mutating func take(json line: [UInt8], number: Int) {
        guard let members = JSONValue.parse(bytes: line)?.object else {
            malformedLines.append(number)
            return
        }
        let inner = members["checkpoint"]?.object ?? members["cut"]?.object ?? members
        guard let text = inner["note"] else { return }
        if let note = text.string.flatMap(AuditNote.init(note:)) {
            notes.append(note)
        } else {
            malformedLines.append(number)
        }
    }
}
