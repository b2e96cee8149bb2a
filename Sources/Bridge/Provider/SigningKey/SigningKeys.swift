package import Logging
import OAuth2
import Synchronization

/// The signing keys as this node has them, kept in step with the database, and changed there.
///
/// Nodes take in a change when they hear of it, at the latest with the next ``refresh()``, twice a second. Each notes
/// in the database which state it has; a new login token key signs as soon as all that live have it (contract §2). A
/// node that meets a key it does not know asks once before it refuses (``learn(_:)``), and one that has not asked for
/// a second, because it was stopped for instance, asks before it believes any (``beCurrent()``). See ADR-0013.
package final class SigningKeys: Sendable {
    /// A key's row stays this long after its end, for ID tokens that come back as hints.
    package static let memory = Duration.seconds(90 * 86_400)
    /// What was read is believed this long without asking again, so no retired key is believed for longer anywhere.
    package static let freshness = Duration.seconds(1)

    /// For login tokens, and for what is derived from their keys.
    package let loginTokens = Reloadable(SecretKeyRing.empty)
    /// For access tokens, ID tokens and logout tokens.
    package let ring = Reloadable(SigningKeyRing.empty)

    /// Under whose name this node notes what it has; `nil` for a command, which takes no part.
    let node: String?
    let store: any SigningKeyStore
    let record: (any WithdrawnKeyRecord)?
    let maker: SigningKeyMaker
    let algorithms: [KeyAlgorithm]
    let announce: @Sendable () async -> Void
    let pause: @Sendable (Duration) async throws -> Void
    let time: TimeSource
    let logger: Logger
    let state: Mutex<State>
    private let reading = Mutex<FreshRun?>(nil)

    struct State {
        /// Which state of the database was taken in; `nil` before the first.
        var number: Int64?
        /// Every key that the database has.
        var known: Set<String> = []
        var opener: SealedKeyOpener
        /// Retired at once, now or before.
        var withdrawn: Set<String> = []
        /// The withdrawn keys that are noted beside the database.
        var recorded: Set<String> = []
        /// The withdrawn keys that could not be noted, and that the log has named.
        var unrecordedTold: Set<String> = []
        /// The withdrawn keys that the database believes all the same.
        var returned: Set<String> = []
        /// Sign as soon as every node has them, with the number of the change that added them.
        var awaited: [String: Int64] = [:]
        /// When the last reading that succeeded began.
        var readAt: Timestamp?
        /// When the last reading began, however it went.
        var triedAt: Timestamp?
        var isReading = false
        /// What this node noted last.
        var note: (number: Int64, at: Timestamp)?
        var inquiries = UnknownKeys()
    }

    /// - Parameters:
    ///   - algorithms: those that keys are made and opened for.
    ///   - node: under whose name to note what it has; `nil` for a command.
    ///   - record: remembers retired keys beside the database.
    ///   - announce: tells other nodes of a change, faster than they ask.
    ///   - pause: waits; a parameter for tests.
    package init(
        store: any SigningKeyStore, master: MasterKey, algorithms: [KeyAlgorithm] = KeyAlgorithm.allCases,
        node: String? = nil, record: (any WithdrawnKeyRecord)? = nil,
        announce: @escaping @Sendable () async -> Void = {}, time: TimeSource,
        random: RandomSource = .system,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        logger: Logger = Logger(label: "drawbridge.keys")
    ) {
        self.store = store
        self.algorithms = algorithms
        self.node = node
        self.record = record
        self.announce = announce
        self.time = time
        self.pause = pause
        self.logger = logger
        maker = SigningKeyMaker(master: master, random: random)
        state = Mutex(State(opener: SealedKeyOpener(master: master)))
    }

    /// Takes in what changed in the database, if anything did. Callers at the same time share one question.
    /// - Throws: ``StorageError``; then all stays as it is.
    package func refresh() async throws { try await sharedReading()() }

    private func sharedReading() -> FreshRun {
        reading.withLock { run in
            // Weak, or the two would keep each other.
            let shared = run ?? FreshRun { [weak self] in try await self?.read() }
            run = shared
            return shared
        }
    }

    /// As ``refresh()``, whether anything seems to have changed or not.
    package func reload() async throws {
        state.withLock { $0.number = nil }
        try await refresh()
    }

    /// Asks the database unless that was done in the last second; before a request is answered.
    ///
    /// Where the database is away the request goes on with what is known: nothing that these keys open can be used
    /// without it.
    package func beCurrent() async {
        let now = time.now()
        let (isRecent, isReading, hasJustTried) = state.withLock { state in
            (Self.isRecent(state.readAt, at: now), state.isReading, Self.isRecent(state.triedAt, at: now))
        }
        if isRecent { return }
        switch (isReading, hasJustTried) {
        // A reading that began in the last second tells all that is wanted here: no caller waits for one more after it.
        case (true, true): try? await sharedReading().join()
        // One that hangs must not keep all callers waiting.
        case (true, false): break
        // Nor is one tried again at once that has just failed.
        case (false, true): break
        case (false, false): try? await sharedReading()()
        }
    }

    /// A clock that was set back proves nothing.
    private static func isRecent(_ instant: Timestamp?, at now: Timestamp) -> Bool {
        instant.map { ($0...($0 + freshness)).contains(now) } ?? false
    }

    private func read() async throws {
        let beganAt = time.now()
        state.withLock { state in
            state.triedAt = beganAt
            state.isReading = true
        }
        defer { state.withLock { $0.isReading = false } }
        let number = try await store.signingKeysNumber()
        if state.withLock({ $0.number != number }) { try await takeIn() }
        state.withLock { $0.readAt = beganAt }
        try await takePart()
    }

    /// Takes in the current keys. One that cannot be opened is left out, and the log says so.
    func takeIn() async throws {
        for problem in takeIn(try await store.signingKeys()) {
            logger.error("a signing key cannot be used", metadata: ["error": "\(problem)"])
        }
    }

    /// - Returns: what is wrong with keys that would be in force.
    func takeIn(_ stored: StoredSigningKeys) -> [MasterKeyError] {
        let now = time.now()
        let withdrawn = Set(stored.keys.filter { $0.withdrawnAt != nil }.map(\.id))
        state.withLock { $0.withdrawn.formUnion(withdrawn) }
        noteWithdrawn()
        return state.withLock { state in
            state.returned = state.withdrawn.subtracting(withdrawn).intersection(stored.keys.map(\.id))
            let wanted = stored.keys.filter { key in
                algorithms.contains(key.algorithm) && !state.withdrawn.contains(key.id)
            }
            var problems: [MasterKeyError] = []
            var shared: [SecretKey] = []
            var published: [SigningKeyRing.Entry] = []
            for key in wanted {
                // A retired login token key is good for nothing; the others still tell whose an old ID token was.
                guard key.algorithm != .hs256 || key.isLive(at: now) else { continue }
                do throws(MasterKeyError) {
                    switch try state.opener.open(key) {
                    case .shared(let secret):
                        shared.append(
                            SecretKey(
                                id: key.id, secret: secret, signsFrom: key.signsFrom, retiresAt: key.retiresAt))
                    case .published(let pair):
                        published.append(
                            SigningKeyRing.Entry(key: pair, signsFrom: key.signsFrom, retiresAt: key.retiresAt))
                    }
                } catch {
                    problems.append(error)
                }
            }
            state.opener.forget(allBut: Set(wanted.map(\.id)))
            state.known = Set(stored.keys.map(\.id))
            state.awaited = Dictionary(
                wanted.filter { $0.signsWhenKnown && !$0.hasBegun(at: now) && $0.isLive(at: now) }
                    .map { ($0.id, $0.addedIn) }, uniquingKeysWith: { $1 })
            state.inquiries.forgetAnswers()
            state.number = stored.number
            loginTokens.replace(with: SecretKeyRing(keys: shared))
            ring.replace(with: SigningKeyRing(published, number: stored.number))
            return problems
        }
    }

    /// Notes beside the database which keys were retired at once, as far as that is not done. What fails is tried again
    /// with the next reading: until then an older backup of the database would bring the key back.
    func noteWithdrawn() {
        guard let record else { return }
        let missing = state.withLock { $0.withdrawn.subtracting($0.recorded) }
        guard !missing.isEmpty else { return }
        do {
            try record.add(missing)
            state.withLock { $0.recorded.formUnion(missing) }
        } catch {
            // Once for each key, not with every reading.
            let isNews = state.withLock { state in
                defer { state.unrecordedTold.formUnion(missing) }
                return !missing.isSubset(of: state.unrecordedTold)
            }
            guard isNews else { return }
            logger.error(
                "a retired key cannot be noted beside the database; an old backup would bring it back",
                metadata: ["kids": "\(missing.sorted())", "error": "\(error)"])
        }
    }
}
