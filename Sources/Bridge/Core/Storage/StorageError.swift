/// Why a store could not answer. Never shown outside; the outside sees `temporarily_unavailable`.
package enum StorageError: Error, Sendable, CustomStringConvertible {
    /// The engine is away, full, read-only or too slow: nothing was changed.
    case unavailable(String, because: Cause = .unknown)
    /// As ``unavailable(_:because:)``, where the change may have been made all the same: the answer to its commit was
    /// lost.
    case undecided(String)
    /// Stored bytes do not mean what they should.
    case corrupt(String, because: Cause = .notUnderstood)

    // Engine messages may quote statement values, so they stay in `text`, for those who know that theirs do not.
    package var description: String {
        switch self {
        case .unavailable: "storage unavailable"
        case .undecided: "storage unavailable; the change may have been made"
        case .corrupt: "storage corrupt"
        }
    }

    /// What it is about, for an operator. Only where it is known that it quotes no values, as Redis's does not, and as
    /// what is ``Cause/notUnderstood`` does not.
    package var text: String {
        switch self {
        case .unavailable(let text, _), .undecided(let text), .corrupt(let text, _): text
        }
    }

    package var cause: Cause {
        switch self {
        case .unavailable(_, let cause), .corrupt(_, let cause): cause
        case .undecided: .unknown
        }
    }
}

extension StorageError {
    /// Makes a change, and once more when the answer to its commit was lost: what is stored by then says whether it was
    /// made, and if not, it is made now.
    /// - Parameter attempt: makes the change; it is told whether this is the second time, in which what it meets may be
    ///   its own.
    /// - Throws: what `attempt` throws; ``undecided(_:)`` where it still cannot be told.
    static func askingAgain<Outcome: Sendable>(
        _ attempt: (_ isSecond: Bool) async throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await attempt(false)
        } catch StorageError.undecided(let text) {
            // Where nobody waits for the second attempt any more, the first may have been made all the same.
            do { return try await attempt(true) } catch is CallerGone { throw StorageError.undecided(text) }
        }
    }
}

extension StorageError {
    /// What an operator can do something about. It is told by the code that knows the engine's error codes, since the
    /// engine's messages depend on its version and language, and may quote values.
    package enum Cause: Hashable, Sendable {
        /// The engine cannot read its own files, or a value is of another kind than was ever written there.
        case damage
        /// The database lacks what this program has made there: `table audit_event`.
        case missing(String)
        /// The database can be read, and this program does not know what it says. The text is in words of our own,
        /// which quote no secret.
        case notUnderstood
        /// What else an engine says by a code, here with general words for it, such as
        /// `PostgreSQL 53100 (its disk is full)`.
        case engine(code: String)
        /// A server refused to connect, or the connection to it is lost.
        case noConnection
        /// A connection leads to another server than the one that is written to, as to an old primary that runs again.
        case otherServer
        case unknown

        /// What the log says of it; `nil` where that would be nothing.
        package var words: String? {
            switch self {
            case .damage: "the database is damaged"
            case .missing(let what): "the database has no \(what)"
            case .notUnderstood: "the database holds something that this program cannot use"
            case .engine(let code): code
            case .noConnection: "the connection to the database failed"
            case .otherServer: "a connection leads to another database server than the one that is written to"
            case .unknown: nil
            }
        }
    }
}
