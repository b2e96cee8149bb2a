import Bridge

/// One write that waits for its turn.
///
/// `attempt` may run several times (see ``GroupCommitWriter``), so it must do nothing but talk to the transaction.
struct PendingWrite: Sendable {
    /// The statements that `attempt` will run first, most likely, in this order; see ``WriteBatch``.
    ///
    /// A write that names them, and be it none, also says that what else it writes most likely is only submitted, and
    /// matters to no other write before the commit. `nil` says nothing, and what comes later sees all it does.
    var anticipated: [SQLCall]?
    /// Whether it may be tried again another day: where a batch fails because something is lacking, such as room on
    /// the disk, the others go on without it.
    var isUpkeep = false
    /// Whether it is written for nothing but to see whether that succeeds, so that only its caller learns from it.
    var isProbe = false
    /// With which look at the queue it is refused (``QueuePatience``); `nil` lets it wait for as long as that takes.
    var looksLeft: Int?
    /// For whom it uses up something that has one use; `nil` where it is made whoever has gone (ADR-0087).
    var caller: WaitingCaller?
    /// Does the work; what it returns tells the caller, and is called once the commit is durable.
    let attempt: @Sendable (WriteTransaction) throws -> @Sendable () -> Void
    /// Tells the caller that nothing was written.
    let fail: @Sendable (any Error) -> Void

    /// Whether a caller waits for what it writes; see ``WriteOutage``.
    var isRequest: Bool { !isUpkeep && !isProbe }

    /// Whether nobody waits any more for what it would use up.
    var isAbandoned: Bool { caller?.hasLeft ?? false }

    /// Whether it has waited for too long.
    var isLate: Bool { looksLeft.map { $0 <= 0 } ?? false }

    /// What a write is refused with that was not begun in time.
    static let late = StorageError.unavailable("the connection that writes came to it too late")
}

/// Thrown by a write that has an answer but wants nothing of what it wrote to stay.
struct Withdrawn<Outcome: Sendable>: Error {
    let outcome: Outcome
}
