/// Sends a node's audit events to one target, in order and at least once.
///
/// The log's own table is the buffer: nothing is kept in memory but the batch under way. What counts as delivered is
/// noted in the database, so that neither a crash here nor one there loses an event; events may come twice.
package struct AuditForwarder: Sendable {
    /// Where forwarding begins for a target that never got anything.
    package enum Start: String, CaseIterable, Sendable {
        /// With the oldest event there is.
        case beginning
        /// With what is written from now on.
        case now
    }

    package static let batchSize = 200
    /// Deliveries that have not settled; beyond them it waits.
    private static let unsettledLimit = 10_000

    private struct Delivery {
        let node: String
        let sequence: Int64
        let at: ContinuousClock.Instant
    }

    private let target: String
    private let nodes: [String]
    private let start: Start
    private let log: any AuditLog
    private let cursors: any AuditForwardCursors
    private let status: AuditForwardStatus
    private let time: TimeSource
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter nodes: whose chains to send; of each, every event comes in order.
    package init(
        nodes: [String], start: Start, log: any AuditLog, cursors: any AuditForwardCursors,
        status: AuditForwardStatus, time: TimeSource = .system,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        target = status.target
        self.nodes = nodes
        self.start = start
        self.log = log
        self.cursors = cursors
        self.status = status
        self.time = time
        self.clock = clock
    }

    /// Sends what there is and what comes, until the connection is lost or `pause` says to stop.
    /// - Parameter pause: waits a little, when nothing is left to send; `false` ends the forwarding.
    /// - Throws: when the connection or the database is lost.
    package func forward(
        over connection: any AuditForwardConnection, pause: @Sendable () async -> Bool
    ) async throws {
        var sent = try await firstSequences()
        var unsettled: [Delivery] = []
        while true {
            var isIdle = true
            if unsettled.count < Self.unsettledLimit {
                for node in nodes {
                    let records = try await records(of: node, behind: sent[node] ?? 0)
                    guard let last = records.last else { continue }
                    try await connection.deliver(records)
                    status.delivered(records.count)
                    sent[node] = last.sequence
                    unsettled.append(Delivery(node: node, sequence: last.sequence, at: clock()))
                    isIdle = false
                }
            }
            try connection.check()
            try await settle(&unsettled, after: connection.settling)
            guard isIdle else { continue }
            guard await pause() else { return }
        }
    }

    /// Events that the target is not known to have.
    package func lag() async throws -> Int64 {
        let noted = try await cursors.forwardedSequences(to: target)
        return try await log.chains().filter { nodes.contains($0.node) }
            .reduce(0) { $0 + max(0, $1.sequence - (noted[$1.node] ?? 0)) }
    }

    private func firstSequences() async throws -> [String: Int64] {
        let noted = try await cursors.forwardedSequences(to: target)
        guard noted.isEmpty, start == .now else { return noted }
        var heads: [String: Int64] = [:]
        for head in try await log.chains() where nodes.contains(head.node) {
            try await cursors.noteForwarded(to: target, node: head.node, through: head.sequence, at: time.now())
            heads[head.node] = head.sequence
        }
        return heads
    }

    private func records(of node: String, behind sequence: Int64) async throws -> [AuditRecord] {
        guard sequence < Int64.max else { return [] }
        let records = try await log.records(of: node, in: (sequence + 1)...Int64.max, limit: Self.batchSize)
        if let first = records.first, first.sequence > sequence + 1 { status.lost(first.sequence - sequence - 1) }
        return records
    }

    /// Notes what was delivered long enough ago on a connection that lives still.
    private func settle(_ unsettled: inout [Delivery], after settling: Duration) async throws {
        let limit = clock() - settling
        let settled = unsettled.prefix { $0.at <= limit }
        guard !settled.isEmpty else { return }
        let ends = Dictionary(settled.map { ($0.node, $0.sequence) }) { max($0, $1) }
        for (node, sequence) in ends.sorted(by: { $0.key < $1.key }) {
            try await cursors.noteForwarded(to: target, node: node, through: sequence, at: time.now())
        }
        unsettled.removeFirst(settled.count)
    }
}
