import Bridge
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database while the writer goes on, so that no commit waits for it.
///
/// SQLite would do it inside whatever commit crosses a threshold, which then takes as long as hundreds of others. Here
/// a connection of its own does the bulk. Because the writer goes on meanwhile, that alone never reaches the end of the
/// log; so once the log is long, the writer itself copies the short rest, and the log starts over. The disk is flushed
/// here as well: SQLite leaves that to the connection that copies the last page, and all commits would wait for it.
final class WriteAheadLogKeeper: Sendable {
    /// Pages at which SQLite steps in by itself: 256 MiB of 4 KiB pages.
    static let lastResort = 65_536
    /// Bytes of log file that are kept for reuse when it starts over.
    static let keptBytes = 134_217_728

    struct Limits {
        /// Pages after which the writer finishes.
        let pages: Int
        /// Writes between two looks; a redemption dirties up to ten pages.
        let writes: Int
        /// What a write of upkeep counts for: a batch of a purge can dirty four pages for each of its 500 rows.
        var upkeepWeight: Int { max(1, writes / 4) }

        /// 32 MiB.
        static let standard = Limits(pages: 8_192, writes: 1_000)
    }

    private struct Progress {
        var writes = 0
        var isCopying = false
        var isClosed = false
    }

    private let limits: Limits
    private let connection: DatabaseQueue
    private let queue = DispatchQueue(label: "drawbridge.wal")
    private let progress = Mutex(Progress())
    /// Told of each rest of the log that the writer copied.
    let watch = WriterWatch()

    init(path: String, configuration: GRDB.Configuration, limits: Limits) throws {
        self.limits = limits
        connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    func didCommit(writes: Int, upkeep: Int, on pool: DatabasePool) {
        let isDue = progress.withLock { progress in
            progress.writes += writes - upkeep + upkeep * limits.upkeepWeight
            guard progress.writes >= limits.writes, !progress.isCopying else { return false }
            progress.writes = 0
            progress.isCopying = true
            return true
        }
        guard isDue else { return }
        queue.async { [self] in
            defer { progress.withLock { $0.isCopying = false } }
            // The last commit's callers are told before it is counted, and may have closed everything by then. GRDB does
            // not guard a checkpoint on a closed connection.
            guard !progress.withLock({ $0.isClosed }), let pages = try? copy(), pages >= limits.pages else { return }
            // Once more: what came in while the disk was flushed is little, and then the writer's rest is next to nothing.
            _ = try? copy()
            // A failure here leaves the log as it is; the next round tries again, and commits report a broken disk.
            pool.asyncWriteWithoutTransaction { database in
                let began = ContinuousClock.now
                _ = try? database.checkpoint(.passive)
                self.watch.note(.logCopy, taking: began.duration(to: .now))
            }
        }
    }

    /// - Returns: how many pages are in the log.
    private func copy() throws -> Int {
        try connection.inDatabase { database in
            let log = try database.checkpoint(.passive)
            Self.flush(database)
            return log.walFrameCount
        }
    }

    /// By SQLite's own handle: to close another one of the same file would take away every lock that this process has on it.
    private static func flush(_ database: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let synchronize = file.pointee.pMethods?.pointee.xSync
        else { return }
        // A failure is the next one's to report, whose copy of the last page counts.
        _ = synchronize(file, SQLITE_SYNC_NORMAL)
    }

    func close() throws {
        try queue.sync {
            progress.withLock { $0.isClosed = true }
            try connection.close()
        }
    }
}
