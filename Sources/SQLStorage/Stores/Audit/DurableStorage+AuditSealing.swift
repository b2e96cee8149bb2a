package import Bridge

extension DurableStorage {
    /// How long the last events of a chain that nothing is added to wait for their index.
    private static let idleTime = Duration.seconds(3600)
    /// Characters of index after which one write takes no more: a fraction of a millisecond of the writer's time.
    private static let pieceLength = 32_768

    package func sealAudit(at now: Timestamp, ofOthers: Bool) async throws -> Bool {
        try await sealAudit(at: now, ofOthers: ofOthers, size: AuditSegment.size)
    }

    /// - Parameter size: sequences of a full segment.
    func sealAudit(at now: Timestamp, ofOthers: Bool = true, size: Int64) async throws -> Bool {
        let own = try ownNode()
        let heads = try await ofOthers ? chains() : read { [try Self.head(of: own, $0)].compactMap(\.self) }
        for head in heads {
            let due = try await read { session in
                try Self.due(head, size: size, isOwn: head.node == own, at: now, session)
            }
            switch due {
            case nil: continue
            case .stale:
                _ = try await writeUpkeep {
                    try $0.change(AuditSegmentSQL.dropBehind, [.text(head.node), .integer(head.sequence)])
                }
            case .segment(let segment): try await seal(segment)
            }
            return true
        }
        return false
    }

    /// What is to be done about a chain.
    private enum Due {
        /// It ends before its last segment does.
        case stale
        case segment(AuditSegment)
    }

    /// Other nodes' chains are left to them for as long as they seem to be there.
    private static func due(
        _ head: AuditChainHead, size: Int64, isOwn: Bool, at now: Timestamp, _ session: any SQLSession
    ) throws -> Due? {
        let node = SQLValue.text(head.node)
        let through: Int64
        switch try session.run(AuditSegmentSQL.end, [node]).first?.values[0] ?? .null {
        case .null: through = 0
        case .integer(let number) where number <= head.sequence: through = number
        case .integer, .text, .foreign: return .stale
        }
        // What is not there needs no segment.
        let next = try session.run(AuditSegmentSQL.next, [node, .integer(max(0, through)), .integer(head.sequence)])
        guard case .integer(let sequence)? = next.first?.values[0] else { return nil }
        let first = AuditSegment.first(of: sequence, size: size)
        let end = first + size - 1
        if head.sequence >= (isOwn ? end : end + size) {
            return .segment(AuditSegment(node: head.node, first: first, through: end))
        }
        let time = try session.run(AuditSegmentSQL.time, [node, .integer(head.sequence)]).first?.values[0]
        guard case .integer(let milliseconds)? = time,
            Timestamp(milliseconds: milliseconds) <= now - (isOwn ? idleTime : idleTime * 2)
        else { return nil }
        return .segment(AuditSegment(node: head.node, first: first, through: min(end, head.sequence)))
    }

    /// The index first and what makes it count last, so that it does not matter where this ends half way. Nothing is taken
    /// away before: what was sealed of the segment goes on counting, and another process at the same one writes the same,
    /// or less of it, which changes nothing once there is more.
    private func seal(_ segment: AuditSegment) async throws {
        let place = [SQLValue.text(segment.node), .integer(segment.first)]
        let index = try await read { session in
            AuditSegmentIndex(
                first: segment.first, try session.run(AuditSegmentSQL.events, place + [.integer(segment.through)]))
        }
        let pieces = index.pieces
        for part in Self.parts(of: pieces) {
            try await writeUpkeep(anticipating: []) { transaction in
                for piece in part {
                    try transaction.submit(
                        AuditSegmentSQL.insertPiece,
                        place + [
                            .integer(piece.field.rawValue), .integer(piece.bucket), .text(piece.entries),
                            .integer(segment.through),
                        ])
                }
            }
        }
        try await writeUpkeep { transaction in
            // They may have been taken away meanwhile; then it is for the next time.
            guard case .integer(let count)? = try transaction.run(AuditSegmentSQL.countPieces, place).first?.values[0],
                count >= Int64(pieces.count)
            else { return }
            try transaction.submit(
                AuditSegmentSQL.insert,
                place + [.integer(segment.through), .integer(index.oldest), .integer(index.newest)])
        }
    }

    private static func parts(of pieces: [AuditSegmentIndex.Piece]) -> [[AuditSegmentIndex.Piece]] {
        var parts: [[AuditSegmentIndex.Piece]] = []
        var length = pieceLength
        for piece in pieces {
            if length >= pieceLength {
                parts.append([])
                length = 0
            }
            parts[parts.count - 1].append(piece)
            length += piece.entries.utf8.count
        }
        return parts
    }
}
