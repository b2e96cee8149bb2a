import OAuth2

/// Reads an export in JSON Lines back, line by line, from bytes that come in pieces.
///
/// Strict: an export that was touched by an editor is told from one that was not.
package struct AuditExportReader: Sendable {
    package enum Entry: Hashable, Sendable {
        case event(AuditRecord)
        case checkpoint(AuditCheckpoint)
        case cut(AuditCut)
        /// What the exporter could not read.
        case damaged(AuditDamage)
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

    package static let maximumLineLength = 1_048_576

    /// No other line begins so.
    private static let eventStart = Array(#"{"id":"#.utf8)

    private let wantsEvents: Bool
    private var buffer: [UInt8] = []
    private var line = 0

    /// - Parameter wantsEvents: whether to look at the lines of events.
    package init(wantsEvents: Bool = true) { self.wantsEvents = wantsEvents }

    /// Takes the next bytes and gives the entries that they complete.
    package mutating func take(
        _ bytes: ArraySlice<UInt8>, _ entry: (Entry) throws(Problem) -> Void
    ) throws(Problem) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Problem) in try take(bytes, entry) }
    }

    private mutating func take(
        _ bytes: UnsafeBufferPointer<UInt8>, _ entry: (Entry) throws(Problem) -> Void
    ) throws(Problem) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            line += 1
            let piece = UnsafeBufferPointer(rebasing: rest[..<end])
            rest = rest[(end + 1)...]
            guard buffer.count + piece.count <= Self.maximumLineLength else {
                throw Problem(line: line, reason: .tooLong)
            }
            if buffer.isEmpty {
                if let found = try parse(piece) { try entry(found) }
                continue
            }
            // The line began in the bytes before.
            buffer.append(contentsOf: piece)
            let text = buffer
            buffer.removeAll(keepingCapacity: true)
            let found = try text.withUnsafeBufferPointer { (text) throws(Problem) in try parse(text) }
            if let found { try entry(found) }
        }
        guard buffer.count + rest.count <= Self.maximumLineLength else {
            throw Problem(line: line + 1, reason: .tooLong)
        }
        buffer.append(contentsOf: rest)
    }

    /// Ends the reading.
    /// - Throws: ``Problem`` when the last line was not finished.
    package func finish() throws(Problem) {
        guard buffer.isEmpty else { throw Problem(line: line + 1, reason: .unfinished) }
    }

    /// - Returns: `nil` for a line that is passed over.
    private func parse(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) -> Entry? {
        if wantsEvents {
            if let record = AuditRecordLine.read(text) { return .event(record) }
        } else if text.starts(with: Self.eventStart) {
            return nil
        }
        guard let members = JSONValue.parse(bytes: Array(text), depth: 2)?.object else {
            throw Problem(line: line, reason: .notAnObject)
        }
        do {
            if members.count == 1, let checkpoint = members["checkpoint"]?.object {
                return .checkpoint(try AuditCheckpoint(json: checkpoint))
            }
            if members.count == 1, let cut = members["cut"]?.object { return .cut(try AuditCut(json: cut)) }
            if members["damaged"] != nil { return .damaged(try AuditDamage(json: members)) }
            return .event(try AuditRecord(json: members))
        } catch {
            throw Problem(line: line, reason: .field(error.field))
        }
    }
}
