import OAuth2
import Synchronization

/// How many events were not written because there were too many, by type, since it was last told.
final class SuppressedEvents: Sendable {
    struct Counts: Sendable {
        fileprivate(set) var all: [AuditEventType: Int] = [:]
        /// Those among them that were failures.
        fileprivate(set) var failures: [AuditEventType: Int] = [:]
        /// When the first of them would have been written; `nil` when there is none.
        fileprivate(set) var since: Timestamp?
    }

    private let state = Mutex(Counts())

    func count(_ event: AuditEvent) {
        state.withLock { state in
            state.all[event.type, default: 0] += 1
            if event.outcome == .failure { state.failures[event.type, default: 0] += 1 }
            state.since = state.since ?? event.at
        }
    }

    func take() -> Counts {
        state.withLock { state in
            defer { state = Counts() }
            return state
        }
    }

    /// Takes in what could not be told.
    func putBack(_ counts: Counts) {
        state.withLock { state in
            state.all.merge(counts.all, uniquingKeysWith: +)
            state.failures.merge(counts.failures, uniquingKeysWith: +)
            state.since = counts.since
        }
    }
}

extension SuppressedEvents.Counts {
    /// As the event says it that stands for all of them; read by ``AuditTally/suppressed(inDetail:at:)``.
    func detail(since: Timestamp) -> String {
        var detail = JSONObjectWriter()
        detail.add("events", Int64(all.values.reduce(0, +)))
        detail.add("since", since.rfc3339)
        detail.add("types", json: Self.json(all))
        if !failures.isEmpty { detail.add("failures", json: Self.json(failures)) }
        return detail.finishedText()
    }

    private static func json(_ counts: [AuditEventType: Int]) -> JSONObjectWriter {
        var types = JSONObjectWriter()
        for (type, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            types.add(type.rawValue, Int64(count))
        }
        return types
    }
}

extension AuditTally {
    /// No node leaves out more in ten seconds: what says so was not written by one.
    private static let mostSuppressed: Int64 = 1_000_000_000

    /// Tallies of the failures that were counted instead of written, as the ``AuditEventType/auditSuppressed`` event of
    /// that minute says.
    package static func suppressed(inDetail detail: String, at minute: Timestamp) -> [AuditTally] {
        let types = JSONValue.parse(detail.utf8)?.object?["failures"]?.object ?? [:]
        return types.compactMap { type, count in
            guard let count = count.integer, (1...mostSuppressed).contains(count) else { return nil }
            return AuditTally(
                at: minute, type: AuditEventType(rawValue: type), outcome: .failure, reason: suppressedReason,
                count: count)
        }
    }
}
