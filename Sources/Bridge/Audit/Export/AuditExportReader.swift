import OAuth2

/// Reads an export in JSON Lines back, line by line, from bytes that come in pieces.
///
/// Strict: an export that was touched by an editor is told from one that was not.
package struct AuditExportReader: Sendable {
    /// What a line of an export holds.
    package enum Entry: Hashable, Sendable {
        case event(AuditRecord)
        case checkpoint(AuditCheckpoint)
        case cut(AuditCut)
        /// What the exporter could not read.
        case damaged(AuditDamage)
    }

    /// Which line cannot be read, and why; quotes nothing of it but what names its place.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong with the line.
        package enum Reason: Hashable, Sendable {
            case tooLong
            case notAnObject
            case field(String)
            case unfinished
        }

        /// From 1.
        package let line: Int
        package let reason: Reason
        /// Where in the log it belongs, as far as it says.
        package let place: Place

        package init(line: Int, reason: Reason, place: Place = Place()) {
            self.line = line
            self.reason = reason
            self.place = place
        }

        /// What of the line cannot be read; `nil` where nothing of it can.
        package var field: String? {
            switch reason {
            case .tooLong: "length"
            case .notAnObject: nil
            case .field(let name): String(name.prefix(64))
            case .unfinished: "end"
            }
        }

        /// What is in its place of the log; `nil` where it does not say which that is.
        var damage: AuditDamage? {
            guard let node = place.node, let sequence = place.sequence, let field else { return nil }
            var damage = AuditDamage(place.part, node: node, sequence: sequence, field: field, hash: place.hash)
            damage.line = line
            return damage
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

    /// What a line that cannot be read says of its place in the log.
    package struct Place: Hashable, Sendable {
        package private(set) var part = AuditDamage.Part.event
        package private(set) var node: String?
        package private(set) var sequence: Int64?
        /// The hash that an event claims.
        package private(set) var hash: String?

        package init() {}

        init(_ members: [String: JSONValue]) {
            if let checkpoint = members["checkpoint"]?.object {
                part = .checkpoint
                node = checkpoint["node"]?.string
                sequence = checkpoint["size"]?.integer
            } else if let cut = members["cut"]?.object {
                part = .cut
                node = cut["node"]?.string
                sequence = cut["through"]?.integer
            } else {
                part = members["part"]?.string.flatMap(AuditDamage.Part.init(rawValue:)) ?? .event
                node = members["node"]?.string
                sequence = members["sequence"]?.integer
                hash = members["hash"]?.string
            }
        }
    }

    package static let maximumLineLength = 1_048_576

    /// No other line begins so.
    private static let eventStart = Array(#"{"id":"#.utf8)

    private let wantsEvents: Bool
    private var buffer: [UInt8] = []
    private var line = 0
    /// Whether the line that has begun was found too long already, so that its rest is nothing to keep.
    private var isPassingOver = false

    /// - Parameter wantsEvents: whether to look at the lines of events.
    package init(wantsEvents: Bool = true) { self.wantsEvents = wantsEvents }

    /// Takes the next bytes and gives what their lines are, each an entry or the reason why it is none.
    package mutating func take(_ bytes: ArraySlice<UInt8>, _ found: (Result<Entry, Problem>) -> Void) {
        bytes.withUnsafeBufferPointer { take($0, found) }
    }

    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ found: (Result<Entry, Problem>) -> Void) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            line += 1
            let piece = UnsafeBufferPointer(rebasing: rest[..<end])
            rest = rest[(end + 1)...]
            if isPassingOver {
                isPassingOver = false
                continue
            }
            guard buffer.count + piece.count <= Self.maximumLineLength else {
                buffer.removeAll()
                found(.failure(Problem(line: line, reason: .tooLong)))
                continue
            }
            if buffer.isEmpty {
                if let entry = read(piece) { found(entry) }
                continue
            }
            // The line began in the bytes before.
            buffer.append(contentsOf: piece)
            let text = buffer
            buffer.removeAll(keepingCapacity: true)
            if let entry = text.withUnsafeBufferPointer({ read($0) }) { found(entry) }
        }
        guard !isPassingOver else { return }
        guard buffer.count + rest.count <= Self.maximumLineLength else {
            buffer.removeAll()
            isPassingOver = true
            found(.failure(Problem(line: line + 1, reason: .tooLong)))
            return
        }
        buffer.append(contentsOf: rest)
    }

    /// Ends the reading.
    /// - Returns: what is wrong with a last line that was not finished.
    package func finish() -> Problem? {
        guard !buffer.isEmpty else { return nil }
        let members = JSONValue.parse(bytes: buffer, depth: 2)?.object
        return Problem(line: line + 1, reason: .unfinished, place: members.map { Place($0) } ?? Place())
    }

    /// - Returns: `nil` for a line that is passed over.
    private func read(_ text: UnsafeBufferPointer<UInt8>) -> Result<Entry, Problem>? {
        if wantsEvents {
            if let record = AuditRecordLine.read(text) { return .success(.event(record)) }
        } else if text.starts(with: Self.eventStart) {
            return nil
        }
        guard let members = JSONValue.parse(bytes: Array(text), depth: 2)?.object else {
            return .failure(Problem(line: line, reason: .notAnObject))
        }
        do {
            return .success(try Self.entry(members))
        } catch {
            return .failure(Problem(line: line, reason: .field(error.field), place: Place(members)))
        }
    }

    private static func entry(_ members: [String: JSONValue]) throws(AuditRecord.FieldError) -> Entry {
        if members.count == 1, let checkpoint = members["checkpoint"]?.object {
            return .checkpoint(try AuditCheckpoint(json: checkpoint))
        }
        if members.count == 1, let cut = members["cut"]?.object { return .cut(try AuditCut(json: cut)) }
        if members["damaged"] != nil { return .damaged(try AuditDamage(json: members)) }
        return .event(try AuditRecord(json: members))
    }
}
