import Bridge
import Logging
import Synchronization

/// Every write of this process, in as few commits as possible.
///
/// A durable commit costs a disk flush, whatever it holds. So writes queue up while one is being flushed and the next
/// commit takes all of them along, and those that are about to come (``CommitPace``). A batch runs without savepoints
/// at first; only if a write throws is it rolled back and run again with a savepoint around each, so that a bad one
/// cannot hurt its neighbours.
final class GroupCommitWriter: Sendable {
    private struct Queue {
        var waiting: [PendingWrite] = []
        var probes: [WriteProbe] = []
        /// When the log was last told that writes were refused for waiting.
        var toldOfLateness: ContinuousClock.Instant?
        var isDraining = false
        var isClosed = false
        /// How many must wait before the writer is woken; `nil` while it does not wait for more.
        var awaited: Int?
        var pace = CommitPace()

        /// Counts a look, and takes out what has waited for too long: no batch takes it any more.
        mutating func takeLate() -> [PendingWrite] {
            for index in waiting.indices { waiting[index].looksLeft = waiting[index].looksLeft.map { $0 - 1 } }
            let late = waiting.filter(\.isLate)
            if !late.isEmpty { waiting.removeAll(where: \.isLate) }
            return late
        }
    }

    /// Writes that may wait; more means that the disk cannot keep up, and waiting would only hide it.
    static let queueLimit = 10_000
    /// Writes in one commit: bounds how long the first of them waits for the last.
    static let batchLimit = 512

    private let engine: any SQLEngine
    private let follow: EventFollower
    private let auditor: AuditChainWriter
    /// See ``PendingWrite/looksLeft``, for what somebody waits for.
    private let looks: Int?
    private let queue = Mutex(Queue())
    /// Wakes the writer when as many wait as it waits for.
    private let enough = Bell()
    /// The node's chain after the last commit; `nil` when the database must be asked.
    private let committedChain = Mutex<AuditChain?>(nil)
    /// Told of every commit.
    let watch = WriterWatch()
    /// Told how it goes with batches that hold a request.
    let outage: WriteOutage

    /// - Parameters:
    ///   - looks: how many looks at the queue what somebody waits for may wait there; `nil` for any number.
    ///   - follow: called with every event, in its transaction.
    init(
        engine: any SQLEngine, auditor: AuditChainWriter, looks: Int? = QueuePatience.looks,
        following follow: @escaping EventFollower = { _, _ in }
    ) {
        self.engine = engine
        self.follow = follow
        self.auditor = auditor
        self.looks = looks
        outage = WriteOutage(time: auditor.time, logger: auditor.logger)
    }

    /// Runs `body` in a transaction; when this returns, it is durable.
    ///
    /// `body` may run several times; only its last run counts. It may throw ``Withdrawn`` to answer and write nothing.
    /// - Parameters:
    ///   - calls: see ``PendingWrite/anticipated``.
    ///   - isUpkeep: see ``PendingWrite/isUpkeep``.
    ///   - isProbe: see ``PendingWrite/isProbe``.
    ///   - isPatient: whether it waits for its turn for as long as that takes, as upkeep does.
    ///   - caller: see ``PendingWrite/caller``.
    /// - Throws: ``StorageError``, or ``CallerGone``; then nothing was written.
    func write<Value: Sendable>(
        anticipating calls: [SQLCall]? = nil, isUpkeep: Bool = false, isProbe: Bool = false, isPatient: Bool = false,
        caller: WaitingCaller? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(
                anticipated: calls, isUpkeep: isUpkeep, isProbe: isProbe,
                looksLeft: isUpkeep || isPatient ? nil : looks, caller: caller,
                attempt: { transaction in
                    let value = try body(transaction)
                    return { continuation.resume(returning: value) }
                },
                fail: { error in
                    if let withdrawn = error as? Withdrawn<Value> {
                        continuation.resume(returning: withdrawn.outcome)
                    } else {
                        continuation.resume(throwing: Self.storageError(error))
                    }
                })
            enqueue(write)
        }
    }

    /// Writes for nothing but to see whether that succeeds. Whoever asks is told in time, also where the batch that
    /// holds it takes longer: what becomes of it then concerns nobody.
    /// - Throws: ``StorageError``, also where it takes too long.
    func probe(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let probe = WriteProbe(looks: looks ?? .max, continuation)
            queue.withLock { $0.probes.append(probe) }
            let write = PendingWrite(
                isProbe: true, looksLeft: looks,
                attempt: { transaction in
                    try body(transaction)
                    return { probe.end(.success(())) }
                },
                fail: { error in probe.end(.failure(Self.storageError(error))) })
            enqueue(write)
        }
    }

    /// Looks at what waits, and refuses what has for too long. For another thread than the writer's, which may be what
    /// all wait for; every ``QueuePatience/pulse``.
    ///
    /// Each write leaves the queue once, under its lock: with a batch, or refused.
    func refuseLate() {
        watch.note(waiting: waitingCount)
        let late = queue.withLock { queue in
            queue.probes = queue.probes.filter { $0.look() }
            return queue.takeLate()
        }
        guard !late.isEmpty else { return }
        let now = auditor.time.uptime()
        let isNews = queue.withLock { queue in
            guard queue.toldOfLateness.map({ now - $0 >= QueuePatience.silence }) ?? true else { return false }
            queue.toldOfLateness = now
            return true
        }
        if isNews {
            auditor.logger.error(
                "writes that waited too long for their turn are refused", metadata: ["count": "\(late.count)"])
        }
        for write in late { write.fail(PendingWrite.late) }
    }

    /// Refuses every later write.
    func close() {
        queue.withLock { queue in
            queue.isClosed = true
            wakeWriter(&queue)
        }
    }

    /// Writes that wait for the next commit.
    var waitingCount: Int { queue.withLock { $0.waiting.count } }

    func enqueue(_ write: PendingWrite) {
        let refusal: String? = queue.withLock { queue in
            guard !queue.isClosed else { return "the storage is closed" }
            guard queue.waiting.count < Self.queueLimit else { return "too many writes are waiting" }
            queue.waiting.append(write)
            if let awaited = queue.awaited, queue.waiting.count >= awaited { wakeWriter(&queue) }
            guard !queue.isDraining else { return nil }
            queue.isDraining = true
            // Under the lock, so that a close cannot come between the two.
            engine.onWriter { session in self.drain(on: session) }
            return nil
        }
        if let refusal { write.fail(StorageError.unavailable(refusal)) }
    }

    /// One commit. What waits by then has a turn of its own, after whatever else the writer was asked for.
    private func drain(on session: any SQLSession) {
        repeat {
            gather()
            let batch = takeBatch()
            // All that was there may have been refused meanwhile.
            if !batch.isEmpty { commit(batch, on: session) }
        } while continuesOrReschedules()
    }

    private func commit(_ batch: [PendingWrite], on session: any SQLSession) {
        let written = WriteBatch(
            writes: batch, session: session, auditor: auditor, dialect: engine.dialect, follow: follow,
            outage: outage, didCommit: note
        ).commit(startingFrom: committedChain.withLock { $0 })
        // Whatever went wrong, the database knows best where the chain ends.
        committedChain.withLock { $0 = written }
        if written != nil { engine.didCommit(writes: batch.count, upkeep: batch.count { $0.isUpkeep }) }
    }

    /// Waits for those that wrote at the same time as now, if they come soon.
    private func gather() {
        let patience: Duration? = queue.withLock { queue in
            let wanted = min(queue.pace.companions, Self.batchLimit)
            guard !queue.isClosed, queue.pace.patience > .zero, queue.waiting.count < wanted else { return nil }
            queue.awaited = wanted
            return queue.pace.patience
        }
        guard let patience, !enough.wait(atMost: patience) else { return }
        // It may be rung at the last moment: a ring that woke no thread must not wake the next one to wait. Rung under
        // the lock, so that it has been by now.
        let wasWoken = queue.withLock { queue in
            defer { queue.awaited = nil }
            return queue.awaited == nil
        }
        if wasWoken { _ = enough.wait(atMost: .zero) }
    }

    private func wakeWriter(_ queue: inout Queue) {
        guard queue.awaited != nil else { return }
        queue.awaited = nil
        enough.ring()
    }

    private func takeBatch() -> [PendingWrite] {
        queue.withLock { queue in
            guard queue.waiting.count > Self.batchLimit else {
                let batch = queue.waiting
                queue.waiting = []
                return batch
            }
            let batch = Array(queue.waiting.prefix(Self.batchLimit))
            queue.waiting.removeFirst(Self.batchLimit)
            return batch
        }
    }

    private func note(_ writes: [PendingWrite], taking time: Duration) {
        queue.withLock { $0.pace.note(writes: writes.count, waiting: $0.waiting.count, time: time) }
        watch.note(writes.contains { $0.isUpkeep } ? .upkeep : .requests, taking: time)
    }

    /// Goes on in this turn when no other writer may come; otherwise schedules the next drain.
    /// - Returns: whether to go on.
    private func continuesOrReschedules() -> Bool {
        queue.withLock { queue in
            guard !queue.waiting.isEmpty else {
                queue.isDraining = false
                return false
            }
            guard !queue.isClosed else { return true }
            engine.onWriter { session in self.drain(on: session) }
            return false
        }
    }

    private static func storageError(_ error: any Error) -> any Error {
        (error as? SQLError)?.storageError ?? error
    }
}
