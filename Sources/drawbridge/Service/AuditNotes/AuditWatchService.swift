import Bridge
import CoreMetrics
import Logging
import Metrics
import OAuth2
import ServiceLifecycle

/// Compares the database's audit log with the notes that lie outside of it, at the start and every now and then.
///
/// After ten million events there are ten thousand notes. Those at the end, which each cover all that came before, are compared
/// before anything is served; all of them while the first requests are.
struct AuditWatchService: Service {
    let storage: any BridgeStorage
    var file: AuditNoteFile
    let keys: [AuditVerifierKey]
    let watch: AuditWatch
    /// How long audit events have to stay; `nil` for ever.
    let retention: Duration?
    let metrics: any MetricsFactory
    let time: TimeSource
    let logger: Logger

    /// What the log is verified against: the key, and what is kept beside it.
    ///
    /// Throws ``StorageError/unavailable(_:because:)`` when the file is there and cannot be read: without it the log
    /// would be verified against itself alone.
    var terms: @Sendable () throws -> AuditVerificationTerms {
        { [file, keys, logger] in
            do {
                return AuditVerificationTerms(trusting: keys, kept: try file.read().notes)
            } catch {
                logger.error(
                    "the notes of the audit log cannot be read, so it is not verified", metadata: ["error": "\(error)"])
                throw StorageError.unavailable("the notes of the audit log cannot be read")
            }
        }
    }

    private static let pause = Duration.seconds(600)
    /// Contradictions that the log names one by one.
    private static let namedLimit = 20

    func run() async throws {
        await look()
        for await _ in AsyncTimer(every: Self.pause).cancelOnGracefulShutdown() { await look() }
    }

    /// Before anything is served: signs for what a version without signed cuts removed, begins the file where there is
    /// none, and looks for the first time.
    func begin() async {
        do {
            if let retention {
                for cut in try await storage.adoptCuts(olderThan: retention, at: time.now()) {
                    logger.notice(
                        "adopted a cut of the audit log that an earlier version made",
                        metadata: ["node": "\(cut.node)", "through": "\(cut.through)"])
                }
            }
            if !file.exists { try await beginFile() }
        } catch {
            logger.error("could not prepare the audit log", metadata: ["error": "\(error)"])
        }
        await look(at: file.readEnd)
    }

    func look() async { await look(at: file.read) }

    private func look(at notes: () throws -> AuditKeptNotes) async {
        do {
            let kept = try notes()
            if !kept.malformedLines.isEmpty {
                logger.warning(
                    "lines of the file of audit checkpoints cannot be read",
                    metadata: ["file": "\(file.path)", "lines": "\(kept.malformedLines.count)"])
            }
            let found = try await AuditComparison(storage, trusting: keys).contradictions(with: kept.notes)
            watch.noteComparison(problem: nil)
            try await tell(of: found)
        } catch {
            // What was not compared must not pass for what was found good.
            watch.noteComparison(problem: "\(error)")
            logger.error("could not compare the audit log with its checkpoints", metadata: ["error": "\(error)"])
        }
        watch.record(to: metrics)
    }

    /// What the database has signed so far is what it must extend from now on.
    private func beginFile() async throws {
        let notes = try await storage.newestNotes(trusting: keys)
        guard !notes.isEmpty else { return }
        try file.append(notes)
        logger.notice(
            "began a file of audit checkpoints", metadata: ["file": "\(file.path)", "notes": "\(notes.count)"])
    }

    private func tell(of found: [AuditVerificationReport.Problem]) async throws {
        if found.isEmpty, !watch.contradictions.isEmpty {
            logger.notice("the audit log no longer contradicts its checkpoints")
        }
        watch.note(contradictions: found)
        // As its chain grows, a contradiction of the same node looks a little different each time.
        let nodes = Set(found.compactMap(\.node))
        watch.toldNodes.formIntersection(nodes)
        let news = found.filter { problem in problem.node.map { !watch.toldNodes.contains($0) } ?? true }
        guard let first = news.first else { return }
        for problem in news.prefix(Self.namedLimit) {
            logger.error(
                "the audit log contradicts what was signed about it",
                metadata: ["id": "\(problem.whereabouts)", "kind": "\(problem.kind.rawValue)", "file": "\(file.path)"])
        }
        var detail = JSONObjectWriter()
        detail.add("count", Int64(news.count))
        detail.add("id", first.id)
        try await storage.append([
            AuditEvent(
                at: time.now(), type: .auditContradicted, outcome: .failure, reason: first.kind.rawValue,
                detail: detail.finishedText())
        ])
        // Not before: what could not be written is told of at the next look.
        watch.toldNodes = nodes
    }
}

extension AuditLog {
    /// Of each node the last checkpoint and the last cut whose signature is good.
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
