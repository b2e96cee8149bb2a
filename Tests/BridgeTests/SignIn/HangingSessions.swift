import Synchronization

@testable import Bridge

/// A database whose commits of new sessions hang until they are let go.
final class HangingSessions: SessionStore {
    private struct State {
        var isLetGo = false
        var hanging: [CheckedContinuation<Void, Never>] = []
    }

    private let storage: any SessionStore
    private let state = Mutex(State())

    init(storage: any SessionStore) { self.storage = storage }

    /// Returns when so many commits hang, or the test has taken too long.
    func waitForHanging(_ count: Int) async {
        while state.withLock({ $0.hanging.count < count }), !Task.isCancelled { await Task.yield() }
    }

    /// Lets all commits go on, those yet to come too.
    func letGo() {
        let hanging = state.withLock { state in
            state.isLetGo = true
            defer { state.hanging = [] }
            return state.hanging
        }
        for continuation in hanging { continuation.resume() }
    }

    func open(
        _ session: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent], ofAdministrator administrator: AuditEvent?
    ) async throws -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isLetGo = state.withLock { state in
                if !state.isLetGo { state.hanging.append(continuation) }
                return state.isLetGo
            }
            if isLetGo { continuation.resume() }
        }
        return try await storage.open(
            session, replacing: replaced, provenBy: basis, events: events, ofAdministrator: administrator)
    }

    func session(secretDigest: String) async throws -> WebSession? {
        try await storage.session(secretDigest: secretDigest)
    }

    func session(id: SessionID) async throws -> WebSession? { try await storage.session(id: id) }

    func touch(_ id: SessionID, at now: Timestamp) async throws { try await storage.touch(id, at: now) }

    func sessionsEnded(since mark: EndMark?) async throws -> EndNews { try await storage.sessionsEnded(since: mark) }

    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await storage.purgeSessions(expiredBefore: cutoff, limit: limit)
    }

    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession] {
        try await storage.sessions(of: subject, before: cursor, limit: limit)
    }

    func sessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) async throws -> [WebSession] {
        try await storage.sessions(of: subject, aliveAt: now, limit: limit)
    }

    func countLiveSessions(at now: Timestamp) async throws -> Int64 { try await storage.countLiveSessions(at: now) }

    func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) async throws -> Ended {
        try await storage.end(root, ending, first: first)
    }
}
