import Bridge
import Logging

/// Writes that share one transaction.
///
/// Over a network most of a write's time goes to waiting for the answers to its own statements, and all writes of a
/// node wait one after the other. So what writes in a row say they will run first is run first for all of them, with
/// one round trip (ADR-0011). If one goes another way, the batch is undone and run again without that.
struct WriteBatch {
    let writes: [PendingWrite]
    let session: any SQLSession
    let auditor: AuditChainWriter
    let dialect: SQLDialect
    let follow: EventFollower
    /// Told how it goes with batches that hold a request.
    let outage: WriteOutage
    /// Told of each commit, which writes it held and how long it took, before their callers are: who was told may be
    /// back with the next write, and would be counted twice.
    let didCommit: ([PendingWrite], Duration) -> Void
    /// Whether its writes have waited for other transactions before.
    var hasWaited = false
    /// Whether it is run again without those whose callers go while it runs: once, or whoever goes on purpose, one
    /// after the other, would keep all the others waiting.
    var heedsGoing = true

    /// Times that an interrupted batch is run as a whole before its writes go their own ways.
    private static let attempts = 3
    /// For how long writes that go their own ways may fail one after the other before the rest is given up.
    private static let patience = Duration.seconds(3)

    /// How a transaction runs its writes.
    private enum Course { case anticipating, oneByOne, isolated }

    private static let savepoint = SQLSavepoint("one_write")

    /// Commits the writes and tells every caller how it went.
    /// - Parameter chain: where the node's audit chain ends; `nil` reads it from the database.
    /// - Returns: where the chain ends now; `nil` when something failed.
    func commit(startingFrom chain: AuditChain?) -> AuditChain? {
        var chain = chain
        var course = Course.anticipating
        var attempt = 0
        while true {
            // Again before each repetition: the one before may have taken seconds.
            guard !writes.contains(where: \.isAbandoned) else { return withoutAbandoned(startingFrom: chain) }
            do {
                return try run(startingFrom: chain, course)
            } catch is CallerGone {
                // Undone as a whole, so the chain ends where it did.
                return withoutAbandoned(startingFrom: chain, heedsGoing: false)
            } catch let failure as SQLError where failure.kind == .interrupted {
                attempt += 1
                guard attempt < Self.attempts else { return giveUp(failure) }
            } catch let failure as SQLError where failure.kind == .lockTimeout && writes.count > 1 {
                return separate(after: failure)
            } catch let failure as SQLError where failure.kind != .refused {
                return goOnWithoutUpkeep(failure)
            } catch {
                guard course != .isolated else {
                    failAll(error)
                    return nil
                }
                course = error is AnticipationMissed ? .oneByOne : .isolated
            }
            // The chain is read again: a refused event would mean that it ends elsewhere than thought, and while the
            // connection was lost another process may have had the node's name.
            chain = nil
        }
    }

    /// Two nodes whose batches want the same rows in another order get in each other's way; single writes do not.
    private func giveUp(_ failure: SQLError) -> AuditChain? {
        guard writes.count > 1 else {
            failAll(failure)
            return nil
        }
        return writes.reduce(nil) { chain, write in
            batch(of: [write], hasWaited: hasWaited, heedsGoing: true).commit(startingFrom: chain)
        }
    }

    /// Another's transaction holds a row for too long: only the writes that want it fail for that.
    ///
    /// All have waited once, so none waits for long again. And where many want such rows, those after them are given up
    /// with them, as all were before: the next caller must not wait for each of hundreds.
    private func separate(after failure: SQLError) -> AuditChain? {
        var chain: AuditChain?
        var lost = Duration.zero
        for write in writes {
            guard lost < Self.patience else {
                write.fail(failure)
                continue
            }
            let began = auditor.time.uptime()
            chain = batch(of: [write], hasWaited: true, heedsGoing: true).commit(startingFrom: chain)
            if chain == nil { lost += auditor.time.uptime() - began }
        }
        return chain
    }

    /// A disk may have room for what people wait for, and none for an index of thousands of events; and a page that is
    /// damaged may be one that only upkeep goes to.
    private func goOnWithoutUpkeep(_ failure: SQLError) -> AuditChain? {
        let others = writes.filter { !$0.isUpkeep }
        // Nothing is tried again after a commit whose outcome is unknown.
        guard failure.kind != .undecided, !others.isEmpty, others.count < writes.count else {
            failAll(failure)
            return nil
        }
        // Before the callers are told, as in `failAll`. Where a request met it, the batch of the others notes that.
        outage.tellDamage(failure)
        for write in writes where write.isUpkeep { write.fail(failure) }
        return batch(of: others, hasWaited: hasWaited, heedsGoing: heedsGoing).commit(startingFrom: nil)
    }

    /// What has one use is not used for a caller who has gone: elsewhere it may have been used since, and this would be
    /// taken for a theft (ADR-0087).
    private func withoutAbandoned(startingFrom chain: AuditChain?, heedsGoing: Bool = true) -> AuditChain? {
        var others: [PendingWrite] = []
        for write in writes {
            if write.isAbandoned { write.fail(CallerGone()) } else { others.append(write) }
        }
        guard !others.isEmpty else { return chain }
        return batch(of: others, hasWaited: hasWaited, heedsGoing: heedsGoing && self.heedsGoing)
            .commit(startingFrom: chain)
    }

    /// A batch of some of its writes. One of a single write heeds going in any case: no other waits there.
    private func batch(of some: [PendingWrite], hasWaited: Bool, heedsGoing: Bool) -> WriteBatch {
        WriteBatch(
            writes: some, session: session, auditor: auditor, dialect: dialect, follow: follow, outage: outage,
            didCommit: didCommit, hasWaited: hasWaited, heedsGoing: heedsGoing)
    }

    private func run(startingFrom chain: AuditChain?, _ course: Course) throws -> AuditChain {
        // Before the chain's end is read, which another process may have moved.
        if chain == nil { try auditor.lease?.confirm(session) }
        let began = auditor.time.uptime()
        try session.begin()
        do {
            if hasWaited, let shortWait = dialect.shortWait { try session.submit(shortWait, []) }
            try auditor.lease?.fence(session)
            let start = try chain ?? auditor.readChain(session)
            let transaction = WriteTransaction(session: session, chain: start, following: follow)
            let answers: [@Sendable () -> Void] =
                switch course {
                case .anticipating: try anticipate(in: transaction)
                case .oneByOne: try writes.map { try $0.attempt(transaction) }
                case .isolated: try writes.map { try isolate($0, in: transaction) }
                }
            try transaction.storeRecords()
            try auditor.recordCheckpointIfDue(in: transaction)
            try transaction.advanceNumber(dialect)
            // A row that another held, or the file, may have kept it waiting for seconds.
            if heedsGoing, writes.contains(where: \.isAbandoned) { throw CallerGone() }
            try session.commit()
            didCommit(writes, auditor.time.uptime() - began)
            // A commit without an event says nothing: it may have been empty, or of a row that was there before.
            if transaction.chain.sequence > start.sequence, writes.contains(where: \.isRequest) { outage.noteSuccess() }
            auditor.lease?.note(transaction.chain)
            // Not before: a note about what no database holds would contradict the log for ever.
            if !transaction.notes.isEmpty { auditor.outlet.publish(transaction.notes) }
            // Before the callers are told, so that who is told of an end finds word of it on its way.
            send(transaction.announcements(dialect))
            for answer in answers { answer() }
            return transaction.chain
        } catch {
            session.rollback()
            auditor.lease?.doubt(after: error)
            throw error
        }
    }

    /// A write that names no statements sees everything before it, and everything after it sees what it did.
    private func anticipate(in transaction: WriteTransaction) throws -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        answers.reserveCapacity(writes.count)
        var rest = writes[...]
        while let first = rest.first {
            let together = rest.prefix { $0.anticipated != nil }
            answers += together.isEmpty ? [try first.attempt(transaction)] : try transaction.attempt(together)
            rest = rest.dropFirst(max(1, together.count))
        }
        return answers
    }

    /// Runs one write so that its failure undoes it alone.
    private func isolate(_ write: PendingWrite, in transaction: WriteTransaction) throws -> @Sendable () -> Void {
        let chain = transaction.chain
        let noteCount = transaction.notes.count
        _ = try session.run(Self.savepoint.set)
        do {
            let answer = try write.attempt(transaction)
            try transaction.storeRecords()
            _ = try session.run(Self.savepoint.release)
            return answer
        } catch let failure as SQLError where failure.kind != .refused {
            throw failure
        } catch {
            try session.rollback(to: Self.savepoint)
            transaction.rewind(to: chain, noteCount: noteCount)
            return { write.fail(error) }
        }
    }

    /// Tells other nodes of what is committed; what is lost they find by asking (contract §16.11).
    ///
    /// Not inside the transaction: PostgreSQL takes a lock for it that all databases of the server share, and holds it
    /// until the commit is flushed.
    private func send(_ news: [SQLCall]) {
        do {
            for call in news.dropLast() { try session.submit(call.statement, call.arguments) }
            if let last = news.last { _ = try session.run(last.statement, last.arguments) }
        } catch {
            let reason = (error as? SQLError)?.text ?? "\(error)"
            auditor.logger.warning("other nodes not told at once", metadata: ["error": "\(reason)"])
        }
    }

    private func failAll(_ error: any Error) {
        // Before the callers are told: who was told may ask for readiness next.
        if writes.contains(where: \.isRequest) { outage.note(error) } else { outage.tellDamage(error) }
        for write in writes { write.fail(error) }
    }
}
