import OAuth2

/// Signed notes that were kept outside of the database, read from whatever they were kept in: plain signed notes, an
/// export, what a forwarder sent, the service log as it was written or as a collector hands it out, a syslog receiver's
/// file.
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
            let line = Array(line)
            let text = String(decoding: line, as: UTF8.self)
            if let last = lines.last, last.text.hasPrefix(SignedNote.Signature.mark),
                !text.hasPrefix(SignedNote.Signature.mark)
            {
                finish(&lines)
            }
            switch AuditKeptLine(line) {
            case .note(let note): notes.append(note)
            case .malformed: malformedLines.append(number)
            case .nothing: break
            // What is between two notes belongs to none.
            case .text: if !lines.isEmpty || !text.isEmpty { lines.append((number, text)) }
            }
        }
        if lines.contains(where: { $0.text.hasPrefix(SignedNote.Signature.mark) }) { finish(&lines) }
    }

    package mutating func append(_ others: AuditKeptNotes) {
        notes += others.notes
        malformedLines += others.malformedLines
    }

    private mutating func finish(_ lines: inout [(number: Int, text: String)]) {
        let text = lines.map { $0.text + "\n" }.joined()
        if let note = AuditNote(note: text) {
            notes.append(note)
        } else {
            malformedLines.append(lines.first?.number ?? 0)
        }
        lines = []
    }
}
