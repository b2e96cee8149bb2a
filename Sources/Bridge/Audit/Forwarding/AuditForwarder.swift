import Synchronization

/// Sends a node's audit events and signed notes to one target, in order and at least once.
///
/// The log's own table is the buffer: nothing is kept in memory but the batch under way. What counts as delivered is
/// noted in the database, so that neither a crash here nor one there loses an event; events may come twice.
package final class AuditForwarder: Sendable {
    /// Where forwarding begins for a target that never got anything of these nodes' chains.
    package enum Start: String, CaseIterable, Sendable {
        /// It begins with the oldest event there is.
        case beginning
        /// It begins with what is written from now on: from ``begin()``.
        case now
    }

    package static let batchSize = 200
    /// Deliveries that have not settled; beyond them it waits.
    private static let unsettledLimit = 10_000

    /// How far a chain was sent.
    private struct Place {
        var position = AuditForwardPosition()
        /// The hash of the event there, which tells this chain from one that grew in its stead after the database was
        /// restored; `nil` before it was seen.
        var hash: String?
    }

    /// What is to be sent of a chain, and the place after it.
    private struct Batch {
        let node: String
        let items: [AuditForwardItem]
        /// Events before them that are there no more.
        let lost: Int64
        let end: Place
    }

    private struct Delivery {
        let node: String
        let position: AuditForwardPosition
        let at: ContinuousClock.Instant
    }

    private let target: String
    private let nodes: [String]
    private let start: Start
    private let log: any AuditLog
    private let cursors: any AuditForwardCursors
    private let status: AuditForwardStatus
    private let time: TimeSource
    /// Once it has begun, a database without a place of it is one that went back to before the first: the whole log is
    /// sent then.
    private let hasBegun = Mutex(false)

    /// - Parameter nodes: whose chains to send, the server's own first; each chain's events come in order.
    package init(
        nodes: [String], start: Start, log: any AuditLog, cursors: any AuditForwardCursors,
        status: AuditForwardStatus, time: TimeSource
    ) {
        target = status.target
        self.nodes = nodes
        self.start = start
        self.log = log
        self.cursors = cursors
        self.status = status
        self.time = time
    }

    /// Notes where it begins, if that is now: before there is a connection, which may take days, and what is written until
    /// then has to be sent.
    /// - Throws: when the database is lost.
    package func begin() async throws {
        if start == .now { _ = try await firstPlaces() }
    }

    /// Sends what there is and what comes, until the connection is lost or `pause` says to stop.
    /// - Parameter pause: waits a little, when nothing is left to send; `false` ends the forwarding.
    /// - Throws: when the connection or the database is lost.
    package func forward(
        over connection: any AuditForwardConnection, pause: @Sendable () async -> Bool
    ) async throws {
        var sent = try await firstPlaces()
        var unsettled: [Delivery] = []
        while true {
            guard let batches = try await batches(after: sent) else {
                // What was sent of the lost chain says nothing of the one in its stead; how far that one was sent, the
                // database remembers.
                sent = try await notedPlaces()
                unsettled = []
                continue
            }
            // Before anything is sent, which may take long: it was just seen that the chain goes on from there.
            try connection.check()
            try await settle(&unsettled, after: connection.settling)
            var isIdle = true
            for batch in batches {
                if !batch.items.isEmpty {
                    guard unsettled.count < Self.unsettledLimit else { continue }
                    try await connection.deliver(batch.items)
                    status.delivered(batch.items.count)
                    if batch.lost > 0 { status.lost(batch.lost) }
                    unsettled.append(Delivery(node: batch.node, position: batch.end.position, at: time.uptime()))
                    isIdle = false
                }
                sent[batch.node] = batch.end
            }
            guard isIdle else { continue }
            guard await pause() else { return }
        }
    }

    /// Events that the target is not known to have.
    package func lag() async throws -> Int64 {
        let noted = try await cursors.forwardedPositions(to: target)
        return try await log.chains().filter { nodes.contains($0.node) }
            .reduce(0) { $0 + max(0, $1.sequence - (noted[$1.node]?.sequence ?? 0)) }
    }

    /// How far each of its chains was sent, as the database has both. It also has the places of other nodes' chains, which
    /// they send themselves.
    private func notedPlaces() async throws -> [String: Place] {
        let noted = try await cursors.forwardedPositions(to: target).filter { nodes.contains($0.key) }
        guard !noted.isEmpty else { return [:] }
        let ends = try await chainEnds()
        var places: [String: Place] = [:]
        for (node, position) in noted {
            // Put back meanwhile, it may have the one without the other.
            let isThere = position.sequence <= ends[node] ?? 0
            places[node] = Place(position: isThere ? position : AuditForwardPosition())
        }
        return places
    }

    /// The last sequence of each chain there is.
    private func chainEnds() async throws -> [String: Int64] {
        Dictionary(try await log.chains().map { ($0.node, $0.sequence) }) { $1 }
    }

    private func firstPlaces() async throws -> [String: Place] {
        let noted = try await notedPlaces()
        guard start == .now, !hasBegun.withLock({ $0 }), let own = nodes.first, noted[own] == nil else {
            hasBegun.withLock { $0 = true }
            return noted
        }
        let ends = try await chainEnds()
        var places = noted
        // Of an empty chain, too: else its first events would be skipped if the connection is lost before they settle.
        // Each is noted on its own, and the server's own chain last: one that has a place has begun with all of them.
        for node in nodes.reversed() where noted[node] == nil {
            let end = ends[node] ?? 0
            // What was signed about events that were never sent is of no use to the receiver.
            let position = AuditForwardPosition(
                sequence: end, notes: AuditNotePosition(checkpoint: end, cut: end))
            try await cursors.noteForwarded(to: target, node: node, through: position, at: time.now())
            places[node] = Place(position: position)
        }
        hasBegun.withLock { $0 = true }
        return places
    }

    /// The next items of each chain; `nil` when one of them does not go on from where it was sent to.
    private func batches(after sent: [String: Place]) async throws -> [Batch]? {
        // A row that was put far after a chain's end is not part of it, and following it would skip everything that
        // comes.
        let ends = try await chainEnds()
        var batches: [Batch] = []
        for node in nodes {
            guard let batch = try await batch(of: node, after: sent[node] ?? Place(), upTo: ends[node] ?? 0) else {
                return nil
            }
            batches.append(batch)
        }
        return batches
    }

    private func batch(of node: String, after place: Place, upTo end: Int64) async throws -> Batch? {
        var position = place.position
        guard position.sequence <= end else { return nil }
        guard end > 0 else { return Batch(node: node, items: [], lost: 0, end: place) }
        // About events that are there: what the node signs meanwhile may be about later ones.
        let signed = try await log.notes(of: node, after: position.notes, limit: Self.batchSize)
            .filter { $0.sequence <= end }
        // With the event that was sent last, in one reading.
        let found = try await log.entries(
            of: node, in: max(AuditRecord.sequences.lowerBound, position.sequence)...end, limit: Self.batchSize + 1)
        let last = found.first { $0.sequence == position.sequence }?.value?.hash
        if let last, let seen = place.hash, last != seen { return nil }
        let entries = Array(found.drop { $0.sequence <= position.sequence }.prefix(Self.batchSize))
        let lost = entries.first.map { $0.sequence - position.sequence - 1 } ?? 0
        position.sequence = entries.last?.sequence ?? position.sequence
        // A note comes after the events that it is about, as far as they are there.
        let notes = signed.filter { entries.count < Self.batchSize || $0.sequence <= position.sequence }
        for note in notes { position.notes.advance(to: note) }
        return Batch(
            node: node, items: entries.map(AuditForwardItem.entry) + notes.map(AuditForwardItem.note), lost: lost,
            end: Place(position: position, hash: entries.isEmpty ? last ?? place.hash : entries.last?.value?.hash))
    }

    /// Notes what was delivered long enough ago on a connection that lives still.
    private func settle(_ unsettled: inout [Delivery], after settling: Duration) async throws {
        let limit = time.uptime() - settling
        let settled = unsettled.prefix { $0.at <= limit }
        guard !settled.isEmpty else { return }
        let ends = Dictionary(settled.map { ($0.node, $0.position) }) { $0.joined(with: $1) }
        for (node, position) in ends.sorted(by: { $0.key < $1.key }) {
            try await cursors.noteForwarded(to: target, node: node, through: position, at: time.now())
        }
        unsettled.removeFirst(settled.count)
    }
}

extension Backoff {
    /// Before a receiver of what is sent by itself is tried again.
    package static let delivery = Backoff(first: .seconds(1), ceiling: .seconds(60))
}

/// How far the audit log has been forwarded, by target; kept in the database beside the log, which is the buffer.
package protocol AuditForwardCursors: Sendable {
    /// How far a target has each node's chain; empty for one that never got anything.
    ///
    /// A position after the chain's end is not valid: nothing that was written could have been sent so far.
    func forwardedPositions(to target: String) async throws -> [String: AuditForwardPosition]

    /// Notes that a target has everything of a node's chain up to a position. What is noted never goes back, and a
    /// position after the chain's end is not noted.
    func noteForwarded(
        to target: String, node: String, through position: AuditForwardPosition, at now: Timestamp
    ) async throws
}

/// How far a receiver has a node's chain, and what was signed about it.
package struct AuditForwardPosition: Hashable, Sendable {
    /// The sequence of the last event.
    package var sequence: Int64
    package var notes: AuditNotePosition

    package init(sequence: Int64 = 0, notes: AuditNotePosition = AuditNotePosition()) {
        self.sequence = sequence
        self.notes = notes
    }

    /// The farther one of each.
    package func joined(with other: AuditForwardPosition) -> AuditForwardPosition {
        AuditForwardPosition(
            sequence: max(sequence, other.sequence),
            notes: AuditNotePosition(
                checkpoint: max(notes.checkpoint, other.notes.checkpoint), cut: max(notes.cut, other.notes.cut)))
    }
}
