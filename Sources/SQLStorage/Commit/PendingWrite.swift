/// One write that waits for its turn.
///
/// `attempt` may run twice (see ``GroupCommitWriter``), so it must do nothing but talk to the transaction.
struct PendingWrite: Sendable {
    /// Does the work; what it returns tells the caller, and is called once the commit is durable.
    let attempt: @Sendable (WriteTransaction) throws -> @Sendable () -> Void
    /// Tells the caller that nothing was written.
    let fail: @Sendable (any Error) -> Void
}

/// Thrown by a write that has an answer but wants nothing of what it wrote to stay.
struct Withdrawn<Outcome: Sendable>: Error {
    let outcome: Outcome
}
