import Bridge
import CoreMetrics
import Logging
import OAuth2

/// One look at whether the database's audit log contradicts the notes that lie outside of it; says what it finds.
struct AuditNoteComparison: Sendable {
    let storage: any BridgeStorage
    /// The path of the notes' file.
    let path: String
    let keys: [AuditVerifierKey]
    let watch: AuditWatch
    let metrics: any MetricsFactory
    let time: TimeSource
    let logger: Logger

    func look(at notes: () throws -> AuditKeptNotes) async {
        do {
            let kept = try notes()
            if !kept.malformedLines.isEmpty {
                logger.warning(
                    "lines of the file of audit checkpoints cannot be read",
                    metadata: ["file": "\(path)", "lines": "\(kept.malformedLines.count)"])
            }
            let found = try await AuditComparison(storage, trusting: keys).contradictions(with: kept.notes)
            watch.noteComparison(problem: nil)
            await tell(of: found)
        } catch {
            // What was not compared must not pass for what was found good.
            watch.noteComparison(problem: "\(error)")
            logger.error("could not compare the audit log with its checkpoints", metadata: ["error": "\(error)"])
        }
        watch.record(to: metrics)
    }

    private func tell(of found: [AuditVerificationReport.Problem]) async {
        if found.isEmpty, !watch.contradictions.isEmpty {
            logger.notice("the audit log no longer contradicts its checkpoints")
        }
        watch.note(contradictions: found)
        // Of another kind it is news, although one of the same node was told before: that may have been expected.
        let groups = Set(found.map(\.group))
        watch.toldGroups.formIntersection(groups)
        let news = found.filter { !watch.toldGroups.contains($0.group) }
        guard let first = news.first else { return }
        for problem in news.prefix(AuditVerificationReport.Problem.namedLimit) {
            logger.error(
                "the audit log contradicts what was signed about it",
                metadata: ["id": "\(problem.whereabouts)", "kind": "\(problem.kind.rawValue)", "file": "\(path)"])
        }
        var detail = JSONObjectWriter()
        detail.add(news, count: news.count)
        let event = AuditEvent(
            at: time.now(), type: .auditContradicted, outcome: .failure, reason: first.kind.rawValue,
            detail: detail.finishedText())
        do {
            try await storage.append([event])
            // Not before: what could not be written is told of at the next look.
            watch.toldGroups = groups
        } catch {
            // The log was compared all the same: nothing is wrong with the notes.
            logger.error(
                "could not write down that the audit log contradicts its checkpoints", metadata: ["error": "\(error)"])
        }
    }
}
