import OAuth2

/// How far a reader has got in the chains of all nodes; goes to clients and comes back as an opaque text.
package struct AuditPosition: Hashable, Sendable {
    private var places: [String: AuditPlace]

    /// A client's header may hold no more.
    private static let maximumLength = 4096

    /// The last sequence read, by node.
    package var sequences: [String: Int64] { places.mapValues(\.sequence) }

    package init(sequences: [String: Int64]) { places = sequences.mapValues { AuditPlace(sequence: $0) } }

    package init(_ heads: [AuditChainHead]) {
        places = Dictionary(
            heads.map { head in
                let marks = AuditPlace.mark(of: head.hash).map { [head.sequence: $0] } ?? [:]
                return (head.node, AuditPlace(sequence: head.sequence, marks: marks))
            }
        ) { $0.sequence > $1.sequence ? $0 : $1 }
    }

    /// The place in one node's chain; its beginning for a node that nothing was read of.
    subscript(node: String) -> AuditPlace {
        get { places[node] ?? AuditPlace() }
        set { places[node] = newValue }
    }

    /// Takes in what was read; also after it was gone back to.
    package mutating func advance(to entry: AuditEntry) { self[entry.node].advance(to: entry) }

    /// The end of every chain.
    package static func end(of log: any AuditLog) async throws -> AuditPosition {
        try await AuditPosition(log.chains()).marked(in: log)
    }

    /// With what tells the chains that there are now from others, as far as it does not say so itself.
    package func marked(in log: any AuditLog) async throws -> AuditPosition {
        var marked = self
        for head in try await log.chains() where places[head.node] != nil {
            marked[head.node] = try await self[head.node].marked(by: head, in: log)
        }
        return marked
    }
}

// As a text: `node~sequence` for each node, and `node!mark~sequence` for each mark of its place, with commas; nodes are
// percent-encoded. Versions without marks take those for the chains of nodes that do not exist, and so understand it.
extension AuditPosition {
    /// What clients get and give back; opaque to them.
    package var text: String {
        // Fewer marks rather than a text that is refused when it comes back.
        [Int.max, 1].lazy.map { text(marks: $0) }.first { $0.utf8.count <= Self.maximumLength } ?? text(marks: 0)
    }

    /// - Parameter count: the most for one node, the newest first.
    private func text(marks count: Int) -> String {
        places.sorted { $0.key < $1.key }.flatMap { node, place in
            let name = PercentEncoding.encode(node).replacing("~", with: "%7E")
            let marks = place.marks.sorted { $0.key > $1.key }.prefix(count)
            return ["\(name)~\(place.sequence)"] + marks.map { "\(name)!\($0.value)~\($0.key)" }
        }.joined(separator: ",")
    }

    /// Reads ``text``, also that of versions without marks.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength else { return nil }
        var sequences: [String: Int64] = [:]
        var marks: [String: [Int64: String]] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "~", omittingEmptySubsequences: false)
            guard pair.count == 2, let sequence = Int64(pair[1]), sequence >= 0,
                sequence <= AuditRecord.sequences.upperBound
            else { return nil }
            let names = pair[0].split(separator: "!", omittingEmptySubsequences: false)
            guard (1...2).contains(names.count), let node = PercentEncoding.decode(String(names[0])), !node.isEmpty,
                !node.utf8.contains(0)
            else { return nil }
            if names.count == 1 {
                guard sequences.updateValue(sequence, forKey: node) == nil else { return nil }
            } else {
                guard let mark = AuditPlace.mark(reading: names[1]),
                    marks[node, default: [:]].updateValue(mark, forKey: sequence) == nil
                else { return nil }
            }
        }
        let areInPlace = marks.allSatisfy { node, marks in
            marks.keys.allSatisfy { $0 > 0 && $0 <= sequences[node] ?? 0 }
        }
        guard areInPlace else { return nil }
        places = [:]
        for (node, sequence) in sequences {
            places[node] = AuditPlace(sequence: sequence, marks: marks[node] ?? [:])
        }
    }
}

// An event's own id in a position's place.
extension AuditPosition {
    /// How much earlier an event may claim to be than one that was read before it: nodes' clocks differ, and what is
    /// written takes a moment to be there.
    private static let overlap = Duration.seconds(60)

    /// Where to go on for a reader that has an event and knows no more than its id: on its node after it, on every
    /// other a minute before it. So nothing is missed, and what the others wrote in that minute may come twice.
    /// - Parameter id: ``AuditRecord/id``.
    /// - Returns: `nil` where no node has got that far.
    package static func after(_ id: String, in log: any AuditLog) async throws -> AuditPosition? {
        let heads = try await log.chains()
        guard let place = AuditRecord.place(of: id),
            heads.contains(where: { $0.node == place.node && place.sequence <= $0.sequence })
        else { return nil }
        var sequences = [place.node: place.sequence]
        // Where retention has removed it, all that is left of the others.
        if let moment = try await log.entry(id: id)?.at {
            for head in heads where head.node != place.node {
                sequences[head.node] = try await last(of: head, before: moment - overlap, in: log)
            }
        }
        return AuditPosition(sequences: sequences)
    }

    /// A sequence of a node up to which its events are older than an instant; found by halving, since chains are long.
    private static func last(
        of head: AuditChainHead, before moment: Timestamp, in log: any AuditLog
    ) async throws -> Int64 {
        var known: Int64 = 0
        var end = head.sequence
        while known < end {
            let middle = known + (end - known + 1) / 2
            // What cannot be read counts as newer: then it comes again rather than never.
            let entry = try await log.entries(of: head.node, in: middle...end, limit: 1).first
            if let entry, let at = entry.at, at < moment {
                known = entry.sequence
            } else {
                end = middle - 1
            }
        }
        return known
    }
}

extension AuditCursor {
    /// What clients get and give back; opaque to them.
    package var text: String {
        Base64URL.encode(Array("\(at.milliseconds) \(sequence) \(node)".utf8))
    }

    /// Reads ``text``.
    package init?(text: String) {
        guard text.utf8.count <= 2048, let bytes = Base64URL.decode(text),
            let plain = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let at = Int64(parts[0]), let sequence = Int64(parts[1]), !parts[2].utf8.contains(0)
        else { return nil }
        self.init(at: Timestamp(milliseconds: at), node: String(parts[2]), sequence: sequence)
    }
}
