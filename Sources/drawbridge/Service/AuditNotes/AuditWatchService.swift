import Bridge
import CoreMetrics
import Logging
import ServiceLifecycle

/// Compares the database's audit log with the notes that lie outside of it, at the start and every now and then.
///
/// After ten million events there are ten thousand notes. Those at the end, which each cover all that came before, are
/// compared before anything is served; all of them while the first requests are.
struct AuditWatchService: Service {
    let storage: any BridgeStorage
    let file: AuditNoteFile
    let keys: [AuditVerifierKey]
    let watch: AuditWatch
    /// How long audit events have to stay; `nil` for ever.
    let retention: Duration?
    let clock: DatabaseClock
    let logger: Logger
    private let comparison: AuditNoteComparison
    /// One look at a time: of two, the older could end last and bring back what is no longer true, and both would write
    /// an event of what they find.
    private let looks: FreshRun

    init(
        storage: any BridgeStorage, file: AuditNoteFile, keys: [AuditVerifierKey], watch: AuditWatch,
        retention: Duration?, clock: DatabaseClock, metrics: any MetricsFactory, time: TimeSource, logger: Logger
    ) {
        self.storage = storage
        self.file = file
        self.keys = keys
        self.watch = watch
        self.retention = retention
        self.clock = clock
        self.logger = logger
        let comparison = AuditNoteComparison(
            storage: storage, path: file.path, keys: keys, watch: watch, metrics: metrics, time: time, logger: logger)
        self.comparison = comparison
        looks = FreshRun { await comparison.look(at: file.read) }
    }

    /// What the log is verified against: the key, and what is kept beside it.
    ///
    /// Throws ``StorageError/unavailable(_:because:)`` when the file is there and cannot be read: without it the log
    /// would be verified against itself alone.
    var terms: @Sendable () throws -> AuditVerificationTerms {
        { [file, keys, logger] in
            do {
                var terms = AuditVerificationTerms(trusting: keys)
                try file.add(to: &terms)
                return terms
            } catch {
                logger.error(
                    "the notes of the audit log cannot be read, so it is not verified", metadata: ["error": "\(error)"])
                throw StorageError.unavailable("the notes of the audit log cannot be read")
            }
        }
    }

    private static let pause = Duration.seconds(600)

    func run() async throws {
        await look()
        for await _ in AsyncTimer(every: Self.pause).cancelOnGracefulShutdown() { await look() }
    }

    /// Before anything is served: signs for what a version without signed cuts removed, begins the file where there is
    /// none, and looks for the first time.
    func begin() async {
        do {
            if let retention {
                for cut in try await storage.adoptCuts(olderThan: retention, at: clock.removalTime()) {
                    logger.notice(
                        "adopted a cut of the audit log that an earlier version made",
                        metadata: ["node": "\(cut.node)", "through": "\(cut.through)"])
                }
            }
            if !file.exists { try await beginFile() }
        } catch {
            logger.error("could not prepare the audit log", metadata: ["error": "\(error)"])
        }
        await comparison.look(at: file.readEnd)
    }

    /// Returns after a look that began no earlier than this.
    func look() async { try? await looks() }

    /// What the database has signed so far is what it must extend from now on.
    private func beginFile() async throws {
        let notes = try await storage.newestNotes(trusting: keys)
        guard !notes.isEmpty else { return }
        try file.append(notes)
        logger.notice(
            "began a file of audit checkpoints", metadata: ["file": "\(file.path)", "notes": "\(notes.count)"])
    }
}

extension AuditLog {
    /// For each node, the last checkpoint and the last cut whose signature is good.
    func newestNotes(trusting keys: [AuditVerifierKey]) async throws -> [AuditNote] {
        func newest(_ notes: [AuditNote]) -> [AuditNote] {
            Dictionary(grouping: notes, by: \.node).values.compactMap { notes in
                notes.sorted { $0.sequence > $1.sequence }.first { $0.problem(trusting: keys) == nil }
            }
        }
        let checkpoints = newest(try await checkpoints().compactMap(\.value).map(AuditNote.checkpoint))
        let cuts = newest(try await cuts().compactMap(\.value).map(AuditNote.cut))
        return (checkpoints + cuts).sorted { ($0.node, $0.sequence) < ($1.node, $1.sequence) }
    }
}
