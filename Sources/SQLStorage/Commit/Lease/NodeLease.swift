import Bridge
import Logging
import Synchronization

/// The right to write as a node, and what this process knows of the database that it writes to (ADR-0029, ADR-0030).
///
/// A row names the holder and its epoch, and every batch asks for both inside its own transaction. So a process that
/// slept through its lease cannot add to the chain that another continues, whatever its clock says: the time in the row
/// only decides how soon an unused name is free.
final class NodeLease: Sendable {
    /// How often a holder says that it is there.
    static let pulse = Duration.seconds(2)

    let node: String
    private let dialect: SQLDialect
    private let holder = LeaseHolder()
    private let mark: CommitMark?
    /// See ``RestoreCheck/neighbours``.
    private let neighbours: [String: SeenCommit]
    /// Told where the name was taken.
    private let written: WrittenDatabase?
    private let time: TimeSource
    private let logger: Logger

    private struct State {
        var held: LeaseSQL.Held?
        /// Why the name is another's now.
        var loss: String?
        /// Whether the log has it that another process took the name.
        var isTakingTold = false
        /// What the database must still hold: the last that this process wrote, or found noted at its start.
        var seen = SeenCommit()
        var hasOpened = false
        /// Whether what is known of the lease may be wrong.
        var isDoubtful = true
        var isRenewing = false
        var unreported: [RestoreNotice] = []
        var onChange: (@Sendable (NodeStanding) -> Void)?
    }

    private let state = Mutex(State())

    init(
        node: String, dialect: SQLDialect, mark: CommitMark?, neighbours: [String: SeenCommit] = [:],
        written: WrittenDatabase? = nil, time: TimeSource, logger: Logger
    ) {
        self.node = node
        self.dialect = dialect
        self.mark = mark
        self.neighbours = neighbours
        self.written = written
        self.time = time
        self.logger = logger
    }

    var standing: NodeStanding {
        state.withLock { NodeStanding(isHeld: $0.loss == nil && $0.held != nil, epoch: $0.held?.epoch ?? 0) }
    }

    /// - Parameter body: called now, and whenever the standing changes.
    func observe(_ body: @escaping @Sendable (NodeStanding) -> Void) {
        state.withLock { $0.onChange = body }
        body(standing)
    }

    /// Takes the name, or makes sure that it is still held.
    /// - Throws: ``NodeHeld`` when another process has it; ``SQLError``.
    func take(_ session: any SQLSession) throws {
        let before = standing
        do {
            try hold(session)
        } catch let held as NodeHeld {
            noteTaking(by: held)
            tell(ifOtherThan: before)
            throw held
        }
        tell(ifOtherThan: before)
    }

    /// Says it once, whether the renewal finds it out or a batch.
    private func noteTaking(by other: NodeHeld) {
        let isNews = state.withLock { state in
            defer {
                state.loss = other.text(node: node)
                state.isTakingTold = true
            }
            return state.held != nil && !state.isTakingTold
        }
        if isNews { logger.error("another process has taken over as this node", metadata: ["node": "\(node)"]) }
    }

    /// Takes the name again, or makes sure of it, after a batch that failed for another reason than its own writes.
    /// - Throws: ``SQLError``.
    func confirm(_ session: any SQLSession) throws {
        guard state.withLock({ $0.isDoubtful }) else { return }
        do {
            try take(session)
        } catch let held as NodeHeld {
            throw SQLError(kind: .unavailable, text: held.text(node: node))
        } catch let failure as SQLError where failure.kind == .undecided {
            // No caller's write was in it; the next batch finds out whether it was made.
            throw SQLError(kind: .unavailable, text: failure.text, cause: failure.cause)
        }
    }

    /// Notes how a batch failed.
    func doubt(after error: any Error) {
        guard let failure = error as? SQLError, failure.kind != .refused else { return }
        state.withLock { $0.isDoubtful = true }
    }

    /// Makes the transaction that has just begun fail at its commit at the latest, unless the name is still held with
    /// this epoch, by what was last said about it, in the same run of the same database. Keeps others from taking the
    /// name before the transaction ends.
    /// - Throws: ``SQLError``, `interrupted`: after ``confirm(_:)`` another attempt may succeed.
    func fence(_ session: any SQLSession) throws {
        guard let held = state.withLock({ $0.held }) else { throw Self.fenced }
        if let submitted = dialect.lease.submittedFence {
            try session.submit(submitted, held.fence(node: node))
        } else if try session.run(dialect.lease.fence, held.fence(node: node)).isEmpty {
            throw Self.fenced
        }
    }

    /// Notes how far the chain is, once that is durable and before any caller hears of it.
    func note(_ chain: AuditChain) {
        let now = time.now()
        let seen = state.withLock { state in
            state.seen.sequence = chain.sequence
            state.seen.hash = chain.hash
            state.seen.epoch = state.held.map { SeenCommit.Epoch(number: $0.restoreNumber, at: now) }
            return state.seen
        }
        mark?.note(seen)
    }

    /// Says that the holder is there; only needed where leases run out.
    func renew(_ session: any SQLSession) {
        defer { state.withLock { $0.isRenewing = false } }
        guard let held = state.withLock({ $0.loss == nil ? $0.held : nil }) else { return }
        let before = standing
        do {
            try session.begin()
            let rows = try session.run(dialect.lease.renew, held.renewal(node: node))
            let other = try rows.isEmpty ? otherHolder(session) : nil
            try session.commit()
            guard let row = rows.first else {
                if let other {
                    noteTaking(by: other)
                } else {
                    // The next batch finds out more.
                    state.withLock { $0.loss = "the lease was not as it was left" }
                    logger.error("lost the node's lease", metadata: ["node": "\(node)"])
                    written?.doubt()
                }
                tell(ifOtherThan: before)
                return
            }
            let expiresAt = try row.integer(0)
            let transaction = try row.integer(1)
            // Another node may have counted a restore since the name was taken.
            let epoch = SeenCommit.Epoch(number: try max(row.integer(3), held.restoreNumber), at: time.now())
            // A standby that has everything knows the lease as well; the fence of a batch finds out where this is.
            if try row.integer(2) != held.run { written?.doubt() }
            var renewed = held
            renewed.expiresAt = expiresAt
            written?.noteLease(renewed.renewal(node: node))
            let seen = state.withLock { state in
                state.held?.expiresAt = expiresAt
                state.seen.transaction = max(state.seen.transaction, transaction)
                state.seen.epoch = epoch
                return state.seen
            }
            mark?.note(seen)
        } catch {
            // A database that is away is told by those who wanted something of it.
            session.rollback()
        }
    }

    /// - Returns: `nil` also where the other has given the name back, or the row is this process's own of before.
    private func otherHolder(_ session: any SQLSession) throws -> NodeHeld? {
        guard let row = try session.run(LeaseSQL.holder, [.text(node)]).first else { return nil }
        let other = try row.text(0)
        guard !other.isEmpty, LeaseHolder(text: other) != holder else { return nil }
        return NodeHeld(holder: LeaseHolder(text: other), expiresAt: try row.integer(1))
    }

    /// - Returns: whether a renewal is wanted and none is waiting.
    func beginRenewal() -> Bool {
        guard dialect.lease.runsOut else { return false }
        return state.withLock { state in
            defer { state.isRenewing = true }
            return !state.isRenewing
        }
    }

    /// Gives the name back, and notes that nothing more was written.
    func release(_ session: any SQLSession) {
        guard let held = state.withLock({ $0.held }) else { return }
        written?.noteLease(nil)
        do {
            try session.begin()
            let isOurs = try session.change(LeaseSQL.release, [.text(node), .integer(held.epoch)]) > 0
            try session.commit()
            if isOurs { mark?.close() }
        } catch {
            session.rollback()
        }
    }

    /// What is not in the audit log yet, for whoever writes it there.
    func takeNotices() -> [RestoreNotice] {
        state.withLock { state in
            defer { state.unreported = [] }
            return state.unreported
        }
    }

    /// Takes back what was taken and is not in the audit log after all.
    func putBack(_ notices: [RestoreNotice]) { state.withLock { $0.unreported = notices + $0.unreported } }

    private func hold(_ session: any SQLSession) throws {
        let (seen, known, isOpening) = state.withLock { ($0.seen, $0.held?.restoreNumber, !$0.hasOpened) }
        let identity = try dialect.lease.identity(session)
        try written?.refuseEarlier(identity, on: session)
        try session.begin()
        do {
            guard try dialect.lease.isStill(identity, session) else { throw Self.elsewhere }
            let now = time.now()
            let knewLease = try written?.known?.knowsLease(session) ?? true
            var held = try claimRow(session, isOpening: isOpening)
            let restore = RestoreCheck(
                node: node, dialect: dialect, mark: isOpening ? mark?.found : nil, keepsMark: mark != nil,
                neighbours: isOpening ? neighbours : [:], seen: seen, known: known)
            let point = try restore.run(session, identity: identity.text, at: now)
            held.restoreNumber = point.number
            try session.commit()
            let sees = point.seen
            state.withLock { state in
                state.held = held
                state.isDoubtful = false
                state.loss = nil
                state.isTakingTold = false
                state.hasOpened = true
                state.seen = sees
                if let notice = point.notice { state.unreported.append(notice) }
            }
            mark?.note(sees)
            written?.note(identity, lease: held.renewal(node: node), knewLease: knewLease)
            log(point)
        } catch {
            session.rollback()
            throw error
        }
    }

    private func log(_ point: RestoreCheck.Outcome) {
        guard let notice = point.notice else { return }
        let metadata: Logger.Metadata = ["reason": "\(notice.reason.rawValue)", "number": "\(point.number)"]
        if point.isRaised {
            logger.error(
                "the database is not as it was left: login tokens of before are not accepted any more",
                metadata: metadata)
        } else {
            logger.warning(
                "the database lacks events of this node: it was restored, which was counted then and ends nothing again",
                metadata: metadata)
        }
    }

    private func claimRow(_ session: any SQLSession, isOpening: Bool) throws -> LeaseSQL.Held {
        let new: [SQLValue] = [.text(node), .text(holder.text)]
        if let row = try session.run(dialect.lease.insert, new).first { return try LeaseSQL.Held(row) }
        guard let row = try session.run(dialect.lease.select, [.text(node)]).first else {
            throw SQLError(kind: .interrupted, text: "a node's lease came and went")
        }
        let other = LeaseHolder(text: try row.text(0))
        let hasRunOut = try row.integer(2) <= row.integer(3)
        // A file's lock was taken before, and is let go of when the process ends, however it ends.
        guard other == holder || hasRunOut || other.hasEnded || (isOpening && !dialect.lease.runsOut) else {
            throw NodeHeld(holder: other, expiresAt: try row.integer(2))
        }
        guard let taken = try session.run(other == holder ? dialect.lease.extend : dialect.lease.take, new).first else {
            throw SQLError(kind: .interrupted, text: "a node's lease came and went")
        }
        return try LeaseSQL.Held(taken)
    }

    private func tell(ifOtherThan before: NodeStanding) {
        let now = standing
        if now != before { state.withLock { $0.onChange }?(now) }
    }

    private static let elsewhere = SQLError(
        kind: .interrupted, text: "the connection leads to another database than a moment ago")

    private static let fenced = SQLError(
        kind: .interrupted, text: "the node's lease is not this process's any more")
}

/// Another process holds the node's name.
struct NodeHeld: Error {
    let holder: LeaseHolder
    /// When its lease runs out, in milliseconds of the database's clock.
    let expiresAt: Int64

    func text(node: String) -> String { "another process writes this database as the node \(node.debugDescription)" }
}
