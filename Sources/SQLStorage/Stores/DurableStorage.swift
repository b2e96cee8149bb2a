package import Bridge
import Synchronization

/// Every durable store on one SQL engine: reads go to its readers, writes to the one group-commit writer.
///
/// Made by ``SQLiteStorage`` and ``PostgresStorage``.
package final class DurableStorage: Sendable {
    let engine: any SQLEngine
    /// `nil` when the database was opened for reading only.
    let writing: Writing?
    let time: TimeSource
    /// ``SubjectSQL/standing`` for a transaction that counts on the answer.
    let heldStanding: SQLStatement
    /// ``LoginTokenSQL/standing`` likewise.
    let heldTokenStanding: SQLStatement
    /// ``AppSessionSQL/endedAt`` and ``WebSessionSQL/endedAt`` likewise.
    let heldAppSession: SQLStatement
    let heldWebSession: SQLStatement
    /// ``AccountSQL/passwordSetAt`` likewise.
    let heldPassword: SQLStatement
    /// ``DeviceSecretSQL/ownerStanding`` likewise.
    let heldDeviceOwner: SQLStatement
    let endings: EndingSQL
    let purgeProgress = Mutex(PurgeProgress())
    private let timers = Mutex<[Task<Void, Never>]>([])

    /// How often a checkpoint is signed when there is anything new (contract §8).
    private static let checkpointPause = Duration.seconds(60)

    struct Writing {
        let writer: GroupCommitWriter
        let auditor: AuditChainWriter
    }

    var dialect: SQLDialect { engine.dialect }

    /// - Parameter auditor: writes this node's audit chain; `nil` refuses every write.
    init(engine: any SQLEngine, auditor: AuditChainWriter?, time: TimeSource) {
        self.engine = engine
        self.time = time
        heldStanding = SQLStatement(SubjectSQL.standing.text + engine.dialect.rowHold)
        heldTokenStanding = SQLStatement(LoginTokenSQL.standing.text + engine.dialect.rowHold)
        heldAppSession = SQLStatement(AppSessionSQL.endedAt.text + engine.dialect.rowHold)
        heldWebSession = SQLStatement(WebSessionSQL.endedAt.text + engine.dialect.rowHold)
        heldPassword = SQLStatement(AccountSQL.passwordSetAt.text + engine.dialect.rowHold)
        heldDeviceOwner = SQLStatement(DeviceSecretSQL.ownerStanding.text + engine.dialect.rowHold)
        let endings = EndingSQL(engine.dialect)
        self.endings = endings
        writing = auditor.map {
            Writing(
                writer: GroupCommitWriter(
                    engine: engine, auditor: $0,
                    // Nobody waits behind a command, which may go through whole tables.
                    looks: NodeName.isOfCommand($0.node) ? nil : QueuePatience.looks
                ) { try $1.queueNotices(of: $0, by: endings.notices) },
                auditor: $0)
        }
        if writing != nil { startTimers() }
    }

    deinit { stopTimers() }

    /// - Parameters:
    ///   - calls: what `body` most likely runs first; see ``PendingWrite/anticipated``.
    ///   - isOfOneUse: whether a second use of what it uses up ends what the first one opened, or whether it is such a
    ///     second use: then it is not made for a caller who has gone (ADR-0087).
    func write<Value: Sendable>(
        anticipating calls: [SQLCall]? = nil, isOfOneUse: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await TraceStep.commit.run { span in
            span?.note(.database, dialect.isRemote ? "postgresql" : "sqlite")
            return try await writable().writer.write(
                anticipating: dialect.isRemote ? calls : nil, caller: isOfOneUse ? WaitingCaller.current : nil, body)
        }
    }

    /// As ``write(anticipating:_:)``, for what the service does by itself and can do later: when it fails, no write
    /// that a caller waits for fails with it.
    func writeUpkeep<Value: Sendable>(
        anticipating calls: [SQLCall]? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await writable().writer.write(anticipating: dialect.isRemote ? calls : nil, isUpkeep: true, body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        do {
            return try await engine.read(body)
        } catch let failure as SQLError {
            writing?.writer.outage.tellDamage(failure)
            throw failure.storageError
        }
    }

    /// As ``read(_:)``, for a few rows that are found by their keys: that is what requests do, so that damage which it
    /// meets makes the storage unfit (``WriteOutage``).
    func look<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        do {
            return try await engine.look(body)
        } catch let failure as SQLError {
            writing?.writer.outage.noteDamage(failure)
            throw failure.storageError
        }
    }

    /// As ``read(_:)``, for what goes through many rows.
    func browse<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        do {
            return try await engine.browse(body)
        } catch let failure as SQLError {
            writing?.writer.outage.tellDamage(failure)
            throw failure.storageError
        }
    }

    /// Whose audit chain this process continues.
    func ownNode() throws -> String { try writable().auditor.node }

    /// What writes this process's audit chain.
    func auditor() throws -> AuditChainWriter { try writable().auditor }

    private func writable() throws -> Writing {
        guard let writing else { throw StorageError.unavailable("the storage was opened for reading only") }
        return writing
    }

    private func startTimers() {
        let timers = [
            every(Self.checkpointPause) { await $0.checkpointNews() },
            every(NodeLease.pulse) { await $0.renewLease() },
            every(QueuePatience.pulse) { $0.writing?.writer.refuseLate() },
        ]
        self.timers.withLock { $0 = timers }
    }

    private func every(
        _ pause: Duration, _ action: @escaping @Sendable (DurableStorage) async -> Void
    ) -> Task<Void, Never> {
        Task { [weak self] in
            while true {
                do { try await Task.sleep(for: pause) } catch { return }
                guard let self else { return }
                await action(self)
            }
        }
    }

    private func stopTimers() {
        timers.withLock { timers in
            for timer in timers { timer.cancel() }
        }
    }

    private func renewLease() async {
        guard let lease = writing?.auditor.lease else { return }
        if lease.beginRenewal() { engine.onWriter { session in lease.renew(session) } }
        await reportRestores()
    }

    /// Writes to the log what was found when the name was taken; what cannot be written now, the next time.
    func reportRestores() async {
        guard let lease = writing?.auditor.lease else { return }
        let notices = lease.takeNotices()
        guard !notices.isEmpty else { return }
        do {
            try await writeUpkeep(anticipating: []) { transaction in
                for notice in notices { try transaction.record(notice.event) }
            }
        } catch StorageError.undecided {
            // It may be there, and a second one would excuse the loss of another checkpoint. The service log has it.
        } catch {
            lease.putBack(notices)
        }
    }

    private func checkpointNews() async {
        // A storage that cannot be written tells its callers; the next pause tries again.
        try? await recordCheckpoint()
    }

    private func recordCheckpoint() async throws {
        let writing = try writable()
        try await writing.writer.write(isPatient: true) { transaction in
            try writing.auditor.recordCheckpoint(in: transaction)
        }
    }
}

extension DurableStorage: BridgeStorage {
    package var nodeStanding: NodeStanding {
        writing?.auditor.lease?.standing ?? NodeStanding(isHeld: writing != nil, epoch: 0)
    }

    package func observeNode(_ body: @escaping @Sendable (NodeStanding) -> Void) {
        writing?.auditor.lease?.observe(body)
    }

    package func observeWriter(_ body: @escaping @Sendable (WriterWork, Duration) -> Void) {
        writing?.writer.watch.observe(body)
        engine.observeWriter(body)
    }

    package func observeQueue(_ body: @escaping @Sendable (_ waiting: Int) -> Void) {
        writing?.writer.watch.observeQueue(body)
    }

    /// Asks whether the name is still held, by a batch that holds nothing: if the writer has come to another database,
    /// it looks where it is. For as long as it is held up nothing is known of that.
    func confirmLease() async throws { try await writable().writer.write(isProbe: true, isPatient: true) { _ in } }

    package func checkWritable() async throws {
        let writing = try writable()
        let beat = [SQLValue.text(writing.auditor.node), SQLValue(time.now())]
        // At once with the write: each may take as long as a write or a read may wait.
        async let connections: Void = engine.checkConnections()
        try await writing.writer.probe { transaction in
            _ = try transaction.run(HeartbeatSQL.beat, beat)
        }
        try writing.writer.outage.check()
        do { try await connections } catch let failure as SQLError { throw failure.storageError }
    }

    package func close() async throws {
        stopTimers()
        guard let writing else { return try engine.close() }
        await reportRestores()
        // Lets go even when the last checkpoint could not be written, and says so afterwards.
        let checkpointed: Result<Void, any Error>
        do { checkpointed = .success(try await recordCheckpoint()) } catch { checkpointed = .failure(error) }
        await writing.auditor.outlet.flush()
        writing.writer.close()
        if let lease = writing.auditor.lease { engine.onWriter { session in lease.release(session) } }
        try engine.close()
        try checkpointed.get()
    }
}
