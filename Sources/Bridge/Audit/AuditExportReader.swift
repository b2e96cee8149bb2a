import OAuth2

/// Reads an export in JSON Lines back, line by line, from bytes that come in pieces.
///
/// Strict: an export that was touched by an editor is told from one that was not.
package struct AuditExportReader: Sendable {
    package enum Entry: Hashable, Sendable {
        case event(AuditRecord)
        case checkpoint(AuditCheckpoint)
    }

    /// Which line cannot be read, and why; quotes nothing of it.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package enum Reason: Hashable, Sendable {
            case tooLong
            case notAnObject
            case field(String)
            case unfinished
        }

        /// From 1.
        package let line: Int
        package let reason: Reason

        package init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        package var description: String {
            switch reason {
            case .tooLong: "line \(line): longer than \(AuditExportReader.maximumLineLength) bytes"
            case .notAnObject: "line \(line): not a JSON object"
            case .field(let name): "line \(line): \"\(name.prefix(64))\" is missing, malformed or unknown"
            case .unfinished: "line \(line): does not end with a line feed; the file may be cut off"
            }
        }
    }

    package static let maximumLineLength = 65_536

    private var buffer: [UInt8] = []
    private var line = 0

    package init() {}

    /// Takes the next bytes and gives the entries that they complete.
    package mutating func take(
        _ bytes: some Collection<UInt8>, _ entry: (Entry) throws(Problem) -> Void
    ) throws(Problem) {
        for piece in Split(bytes) {
            buffer.append(contentsOf: piece.bytes)
            guard buffer.count <= Self.maximumLineLength else { throw Problem(line: line + 1, reason: .tooLong) }
            guard piece.endsLine else { continue }
            line += 1
            let text = buffer
            buffer.removeAll(keepingCapacity: true)
            try entry(Self.parse(text, line: line))
        }
    }

    /// Ends the reading.
    /// - Throws: ``Problem`` when the last line was not finished.
    package func finish() throws(Problem) {
        guard buffer.isEmpty else { throw Problem(line: line + 1, reason: .unfinished) }
    }

    private static func parse(_ text: [UInt8], line: Int) throws(Problem) -> Entry {
        guard let members = JSONValue.parse(text, depth: 2)?.object else {
            throw Problem(line: line, reason: .notAnObject)
        }
        do {
            if members.count == 1, let checkpoint = members["checkpoint"]?.object {
                return .checkpoint(try AuditCheckpoint(json: checkpoint))
            }
            return .event(try AuditRecord(json: members))
        } catch {
            throw Problem(line: line, reason: .field(error.field))
        }
    }
}

/// Cuts bytes behind each line feed.
private struct Split<Bytes: Collection<UInt8>>: Sequence, IteratorProtocol {
    private var rest: Bytes.SubSequence

    init(_ bytes: Bytes) { rest = bytes[...] }

    mutating func next() -> (bytes: Bytes.SubSequence, endsLine: Bool)? {
        guard !rest.isEmpty else { return nil }
        guard let end = rest.firstIndex(of: 0x0A) else {
            defer { rest = rest[rest.endIndex...] }
            return (rest, false)
        }
        let piece = rest[..<end]
        rest = rest[rest.index(after: end)...]
        return (piece, true)
    }
}
