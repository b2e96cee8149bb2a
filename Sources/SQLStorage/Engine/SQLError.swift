import Bridge

/// Why an engine did not run a statement. The text is the engine's, without the statement's arguments.
struct SQLError: Error, Sendable {
    /// What a caller can do about a failed statement, whichever engine it was.
    enum Kind: Hashable, Sendable {
        /// The engine is away, busy, full, read-only or broken: nothing more can be done with this transaction.
        case unavailable
        /// Another transaction held on to something for too long; nothing more can be done with this one.
        case lockTimeout
        /// The role may not do that; nothing more can be done with this transaction.
        case forbidden
        /// The answer to a commit was lost: it may have been made.
        case undecided
        /// The transaction lost a conflict or its connection before it was committed: it left nothing behind, and
        /// another attempt may succeed.
        case interrupted
        /// The statement broke a constraint, or is wrong; the transaction as such can go on.
        case refused
        /// The file is not what it should be.
        case corrupt
    }

    let kind: Kind
    let text: String
    /// The engine's code where it has no room, no right or no working disk to write, or, of SQLite, cannot make sense of
    /// its own file; `nil` for conflicts and all else. Unlike ``text`` it quotes nothing, so it is fit for the log.
    let writeRefusal: String?
    /// The SQLSTATE of a server's answer; `nil` for what became of the connection to it, and in SQLite.
    let state: String?
    /// Whether the database's file may not be written.
    let isReadOnly: Bool
    /// What an operator can do something about; `nil` where the text is in words of our own.
    let cause: StorageError.Cause?

    init(
        kind: Kind, text: String, writeRefusal: String? = nil, state: String? = nil, isReadOnly: Bool = false,
        cause: StorageError.Cause? = nil
    ) {
        self.kind = kind
        self.text = text
        self.writeRefusal = writeRefusal
        self.state = state
        self.isReadOnly = isReadOnly
        self.cause = cause
    }

    /// Whether it is a server's answer, and not what became of the connection to it.
    var isAnswer: Bool { state != nil }

    var storageError: StorageError {
        switch kind {
        case .unavailable, .lockTimeout, .forbidden, .interrupted: .unavailable(text, because: cause ?? .unknown)
        case .undecided: .undecided(text)
        case .refused, .corrupt: .corrupt(text, because: cause ?? .notUnderstood)
        }
    }
}
