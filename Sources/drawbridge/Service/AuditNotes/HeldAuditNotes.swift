import Bridge
import Synchronization

/// Holds signed notes back about a database that is not in its place yet: if it never gets there, notes beside the
/// signing key would contradict the one that is.
final class HeldAuditNotes: AuditNoteOutlet {
    private let held = Mutex<[AuditNote]>([])

    var notes: [AuditNote] { held.withLock { $0 } }

    func publish(_ notes: [AuditNote]) { held.withLock { $0 += notes } }

    func flush() async {}
}
