/// How long a connection waits.
struct PostgresTimeouts: Sendable {
    /// For one statement; the server gives up first.
    var statement: Duration
    /// How long to wait for a row that another transaction holds.
    var lock: Duration
    /// For the first answer of the server; libpq counts in seconds and takes two at least.
    var connect: Duration

    /// The timeouts of a service whose callers wait.
    static let service = PostgresTimeouts(statement: .seconds(5), lock: .seconds(3), connect: .seconds(3))
    /// The timeouts of a command or a migration: a large index takes its time, and another node may be at it.
    static let command = PostgresTimeouts(statement: .seconds(3600), lock: .seconds(3600), connect: .seconds(10))

    /// When this side stops waiting for a server that does not even answer that it gave up.
    var answer: Duration { statement + .seconds(1) }

    /// For a transaction alone, where the next one may be on another connection.
    let localSettings: SQLStatement = """
        SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
            set_config('idle_in_transaction_session_timeout', $1, true), set_config('jit', 'off', true),
            set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                ELSE current_setting('synchronous_commit') END, true)
        """
    var localArguments: [SQLValue] { [.text(statement.milliseconds), .text(lock.milliseconds)] }

    /// Statements that set them on the server, besides what durable writes need of a connection.
    var settings: [(name: String, value: String)] {
        [
            ("statement_timeout", statement.milliseconds), ("lock_timeout", lock.milliseconds),
            // A node that is cut off in the middle of a transaction must not hold its rows for longer than this.
            ("idle_in_transaction_session_timeout", statement.milliseconds),
            ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"), ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "15000"), ("default_transaction_isolation", "read committed"),
            ("standard_conforming_strings", "on"),
            // Compiling a statement, which is decided on by a guess at its rows, takes longer than most of ours run.
            ("jit", "off"),
        ]
    }
}

extension Duration {
    fileprivate var milliseconds: String {
        String(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
