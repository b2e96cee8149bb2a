import Bridge
import Logging
import Synchronization

/// Which database the connection that writes has found: all other connections of the process must lead there too.
///
/// Each finds its own way, to one of several hosts or to wherever a name or a pooler leads by now. After a failover
/// that may be the old primary, where it runs again: it answers like any other, and knows nothing of what has ended
/// since. So each is asked once which server it has reached, and again when the writer has moved. Two standbys that have
/// both taken over cannot be told apart by that, nor can a copy of the server's disk: so it is also asked for what the
/// writer last said of the node's lease. One that leads elsewhere is given up, and what wanted it is refused (ADR-0029).
final class WrittenDatabase: Sendable {
    /// What other connections are compared with.
    struct Known {
        let identity: LeaseSQL.Identity
        /// What the writer last said there, as arguments of ``LeaseSQL/knowledge``; `nil` where no name is held.
        var lease: [SQLValue]?
        /// Grows each time that the writer is found in another database.
        let number: Int

        func isReached(by session: any SQLSession) throws -> Bool {
            try LeaseSQL.postgres.isStill(identity, session) && knowsLease(session)
        }

        func knowsLease(_ session: any SQLSession) throws -> Bool {
            try lease.map { try !session.run(LeaseSQL.knowledge, $0).isEmpty } ?? true
        }
    }

    /// A function by itself would be wrapped again each time that it is taken out of the lock, and the wrapping kept.
    private struct Asker {
        let body: @Sendable () async -> Void
    }

    private struct State {
        var known: Known?
        var lastStray: ContinuousClock.Instant?
        /// Before it no new connection is opened; `nil` while the last one led where it had to.
        var nextAttempt: ContinuousClock.Instant?
        /// Whether the log has it that connections lead elsewhere.
        var isTold = false
        var asker: Asker?
        var isAsking = false
    }

    /// For how long a connection that led elsewhere counts: which one of several is used next is chance.
    static let memory = Duration.seconds(10)
    /// Between one that led elsewhere and the next: each costs a server as much as a hundred reads.
    static let pause = Duration.milliseconds(250)

    private let state = Mutex(State())
    private let time: TimeSource
    private let logger: Logger

    init(time: TimeSource, logger: Logger) {
        self.time = time
        self.logger = logger
    }

    /// `nil` before the writer has looked.
    var known: Known? { state.withLock { $0.known } }

    /// - Parameter number: under which a connection was compared; `nil` when there was nothing to compare it with.
    func isCurrent(_ number: Int?) -> Bool { state.withLock { $0.known?.number == number } }

    /// Notes where the writer is.
    /// - Parameters:
    ///   - lease: what it says there from now on; see ``Known/lease``.
    ///   - knewLease: whether what it had said before was there.
    func note(_ identity: LeaseSQL.Identity, lease: [SQLValue]? = nil, knewLease: Bool = true) {
        state.withLock { state in
            if knewLease, state.known?.identity.text == identity.text {
                state.known?.lease = lease
                return
            }
            state.known = Known(identity: identity, lease: lease, number: (state.known?.number ?? 0) + 1)
            // Who was elsewhere may just have been there before the writer.
            state.lastStray = nil
            state.nextAttempt = nil
            state.isTold = false
        }
    }

    /// Notes what the writer has said since, durably; `nil` before it gives the name back.
    func noteLease(_ lease: [SQLValue]?) { state.withLock { $0.known?.lease = lease } }

    /// Keeps the writer itself from an old primary that runs again: what other nodes write since is not there.
    /// - Throws: ``SQLError``, `unavailable`, where it has left this state of the server behind; then its connection is
    ///   given up as well.
    func refuseEarlier(_ identity: LeaseSQL.Identity, on session: any SQLSession) throws {
        guard let known, identity.isEarlier(than: known.identity) else { return }
        session.disconnect()
        if noteElsewhere(comparedWith: known.number, at: time.uptime()) { tell(of: "drawbridge writer") }
        throw Self.elsewhere
    }

    /// - Parameter body: has the writer find out where it is; called when a connection has come to another server, or
    ///   the writer's may have.
    func observeDoubt(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.asker = Asker(body: body) } }

    /// Before a new connection is opened.
    /// - Throws: ``SQLError``, when one that was opened a moment ago led elsewhere.
    func begin() throws {
        let now = time.uptime()
        try state.withLock { state in
            guard let next = state.nextAttempt else { return }
            guard now >= next else { throw Self.elsewhere }
            // One looks; the others are refused until that one knows more.
            state.nextAttempt = now + Self.pause
        }
    }

    /// Notes that a new connection leads where the writer is.
    func noteFound() { state.withLock { $0.nextAttempt = nil } }

    /// Notes that a new connection leads elsewhere.
    /// - Returns: what it is to be refused with.
    func noteStray(comparedWith number: Int?, connection: String) -> SQLError {
        if noteElsewhere(comparedWith: number, at: time.uptime()) { doubt(because: connection) }
        return Self.elsewhere
    }

    /// - Returns: whether the writer is still where it was when a connection was compared.
    private func noteElsewhere(comparedWith number: Int?, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard state.known?.number == number else { return false }
            if !isRecent(state.lastStray, at: now) { state.isTold = false }
            state.lastStray = now
            state.nextAttempt = now + Self.pause
            return true
        }
    }

    /// Has the writer find out where it is, unless it is at that already.
    /// - Parameter connection: led elsewhere. The log has that only if the writer stays where it is: at a failover
    ///   another connection may be the first at the new server.
    @discardableResult
    func doubt(because connection: String? = nil) -> Task<Void, Never>? {
        let question = state.withLock { state -> (asker: Asker, number: Int?)? in
            guard !state.isAsking, let asker = state.asker else { return nil }
            state.isAsking = true
            return (asker, state.known?.number)
        }
        guard let question else { return nil }
        return Task {
            await question.asker.body()
            state.withLock { $0.isAsking = false }
            if let connection, isCurrent(question.number) { tell(of: connection) }
        }
    }

    /// - Throws: `StorageError` while connections are known to lead to two servers.
    func check() throws {
        let now = time.uptime()
        guard state.withLock({ isRecent($0.lastStray, at: now) }) else { return }
        throw StorageError.unavailable(Self.elsewhere.text, because: .otherServer)
    }

    private func tell(of connection: String) {
        let isNews = state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
        guard isNews else { return }
        logger.error(
            "a connection leads to another database server than the one written to: does an old primary run?",
            metadata: ["connection": "\(connection)"])
    }

    private func isRecent(_ stray: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Bool {
        stray.map { now - $0 < Self.memory } ?? false
    }

    private static let elsewhere = SQLError(
        kind: .unavailable, text: "the connection leads to another server than the one that this process writes to",
        cause: .otherServer)
}
