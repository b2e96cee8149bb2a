/// What holds the one connection that writes, while every other write waits.
package enum WriterWork: String, CaseIterable, Sendable {
    /// A commit that callers wait for.
    case requests
    /// A commit in which something that the service does by itself had a part, such as a piece of the audit log's index.
    case upkeep
    /// The rest of the write-ahead log, copied into the database.
    case logCopy = "log_copy"
}
