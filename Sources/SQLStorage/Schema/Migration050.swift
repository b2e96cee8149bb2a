extension Migration {
    /// One index fewer for each session: since steps 36 and 41 each is in one of those by expiry of the sessions that
    /// were ended and of those that were not, and purges go by these. On PostgreSQL, nodes of the version before
    /// still purge by it. A server of that version on a file purges right without it, but slowly: it should be stopped
    /// before a command of this version brings the file up to date (ADR-0078).
    static let sessionExpiry = Migration(version: 50, name: "sessions by expiry in two indexes, not three") { dialect in
        dialect.isRemote ? [] : ["DROP INDEX web_session_expiry"]
    }
}
