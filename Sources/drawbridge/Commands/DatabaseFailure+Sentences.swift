import Bridge

extension DatabaseFailure: CustomStringConvertible {
    /// Whole sentences. Nothing of an engine's message, which could quote values.
    var description: String {
        if case .missing(let what) = error.cause {
            return "The database has no \(what): it is damaged, or another program's. drawbridge check-config says "
                + "which database that is; drawbridge restore puts a backup in its place."
        }
        guard let database, let trouble else { return CommandFailure.sentence("\(error)") }
        return "The database \(database) \(trouble)"
    }

    /// What a database as a whole suffers from; `nil` for what there are no better words for than the error's own.
    private var trouble: String? {
        switch (error, error.cause) {
        case (_, .damage):
            "is damaged: something in it cannot be read. drawbridge restore puts a backup in its place; see Restore in "
                + "docs/operations.md."
        case (_, .notUnderstood):
            // A restore would cost what is whole.
            CommandFailure.closed("holds something that this program cannot use: \(error.text)")
        case (.corrupt, .engine(let code)): "refused a statement of this program: \(code)."
        case (_, .engine(let code)): "cannot be used: \(code)."
        case (_, .noConnection): "cannot be used: the connection to PostgreSQL failed."
        case (_, .otherServer):
            "cannot be used: two servers answer there, as where an old primary runs again after a failover. Stop that "
                + "one; see Failover in docs/postgresql.md."
        case (.unavailable, .unknown): "cannot be used now; drawbridge check-config --online says more."
        case (_, .missing), (_, .unknown): nil
        }
    }
}
