import Bridge
import Dispatch
import Logging
import Synchronization

/// Takes every signed note to the service log and to the file beside the signing key, after the writing: no request
/// waits for it.
final class AuditNoteKeeper: AuditNoteOutlet {
    private let file: AuditNoteFile
    private let watch: AuditWatch
    private let logger: Logger
    private let waiting = Mutex<[AuditNote]>([])
    private let queue = DispatchQueue(label: "drawbridge.audit-notes")

    /// Notes that wait while the file cannot be written; of more, the newest count.
    private static let waitingLimit = 1000

    init(file: AuditNoteFile, watch: AuditWatch, logger: Logger) {
        self.file = file
        self.watch = watch
        self.logger = logger
    }

    func publish(_ notes: [AuditNote]) {
        for note in notes {
            logger.notice(
                "\(note.name)",
                metadata: ["node": "\(note.node)", "sequence": "\(note.sequence)", "note": "\(note.text)"])
        }
        waiting.withLock { $0 = ($0 + notes).suffix(Self.waitingLimit) }
        queue.async { self.write() }
    }

    func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func write() {
        let notes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !notes.isEmpty else { return }
        do {
            try file.append(notes)
            watch.noteFile(problem: nil)
        } catch {
            waiting.withLock { $0 = (notes + $0).suffix(Self.waitingLimit) }
            // Once per outage, not with every checkpoint.
            if watch.noteFile(problem: "\(error)") {
                logger.error(
                    "audit checkpoints cannot be kept outside of the database", metadata: ["error": "\(error)"])
            }
        }
    }
}
