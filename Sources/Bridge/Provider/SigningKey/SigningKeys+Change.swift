import Logging
import OAuth2
import Synchronization

extension SigningKeys {
    /// Times that a change is tried while others change the keys too.
    private static let attempts = 50
    /// Why a key was retired that an older state of the database had brought back, in the audit log.
    private static let backupRestored = "backup_restored"

    /// Reads the keys, and makes the first ones where there are none. Nodes that start at the same time all get the
    /// same keys.
    /// - Parameter imported: login token keys of a file, asked for and taken over when the database never had any.
    /// - Returns: the ids of those that were taken over.
    /// - Throws: ``MasterKeyError`` when a key was sealed with another master key; ``StorageError``.
    @discardableResult
    package func load(importing imported: () throws -> [SecretKey] = { [] }) async throws -> [String] {
        let remembered = try record?.ids() ?? []
        state.withLock { state in
            state.withdrawn.formUnion(remembered)
            state.recorded.formUnion(remembered)
        }
        let taken = try await change { draft in
            var taken: [SecretKey] = []
            for algorithm in algorithms {
                var schedule = draft.schedule(of: algorithm)
                guard schedule.signing == nil else { continue }
                if algorithm == .hs256, !draft.has(algorithm) {
                    taken = try imported().filter { key in
                        !remembered.contains(key.id) && key.retiresAt.map { draft.now < $0 } ?? true
                    }
                    for key in taken { schedule.add(try maker.seal(key, at: draft.now)) }
                }
                try schedule.ensureSigner { try maker.make(algorithm, at: draft.now, signingAfter: .zero) }
                draft.take(schedule)
            }
            draft.events = draft.added.map { Self.addedEvent($0, at: draft.now) }
            return taken.map(\.id)
        }
        if let problem = takeIn(try await store.signingKeys()).first { throw problem }
        try await takePart()
        return taken
    }

    /// Adds a key of each algorithm; the old ones verify until nothing that they made can be alive.
    ///
    /// Other nodes go by the times that are written down here, and what ended long ago is removed for good: a clock that
    /// is ahead would take the keys that sign now, and the new ones would not sign before it is right (ADR-0010).
    /// - Parameter delay: how long the new keys wait before they sign, if that is longer than the algorithm needs.
    /// - Returns: what was added.
    /// - Throws: ``ClockError``, ``StorageError``.
    @discardableResult
    package func rotate(action: AdminAction, signingAfter delay: Duration?) async throws -> [SealedSigningKey] {
        try await requireRightClock()
        let fresh = try algorithms.map { algorithm in
            let isLonger = delay.map { $0 > algorithm.publication } ?? false
            return try maker.make(algorithm, at: action.at, signingAfter: isLonger ? delay : nil)
        }
        try await change { draft in
            for key in fresh {
                var schedule = draft.schedule(of: key.algorithm)
                schedule.add(key)
                draft.take(schedule)
            }
            draft.removeEnded(before: draft.now - Self.memory)
            draft.events = draft.added.map { key in action.event(.keyRotated, facts: Self.facts(of: key)) }
        }
        try await refresh()
        return fresh
    }

    /// - Throws: ``ClockError`` where this machine's clock and the database's are too far apart for one to tell the other
    ///   when a key signs; ``StorageError``.
    package func requireRightClock() async throws {
        try await time.requireAgreement { try await store.databaseTime() }
    }

    /// Retires keys at once: nothing that they signed is believed any more, on every node within a second. Where one of
    /// them was signing, the next in line signs from now on, or a new one.
    /// - Parameter ids: the keys; `nil` for all, those included that the master key does not open.
    /// - Returns: `nil` when one of them is unknown; then nothing happened.
    package func retire(_ ids: Set<String>?, action: AdminAction) async throws -> KeyRetirement? {
        let retirement = try await change(isRetirement: true) { draft -> KeyRetirement? in
            let ids = ids ?? Set(draft.keys.map(\.id))
            guard ids.isSubset(of: draft.keys.map(\.id)) else { return nil }
            let retirement = try withdraw(ids, in: &draft)
            draft.events =
                retirement.retired.map { key in
                    let facts = ["signs_now": retirement.signing[key.algorithm] ?? ""]
                    return action.event(.keyRetired, facts: Self.facts(of: key).merging(facts) { $1 })
                }
                + draft.added.map { action.event(.keyRotated, facts: Self.facts(of: $0)) }
            return retirement
        }
        if retirement?.retired.isEmpty == false { try await refresh() }
        return retirement
    }

    /// The keys in force that the master key does not open: no server that has it can use them.
    package func unopenedKeys() async throws -> [SealedSigningKey] {
        let now = time.now()
        return try await store.signingKeys().keys.filter { $0.isLive(at: now) && !$0.isOpened(by: maker.master) }
    }

    /// Whether to retire these would be to seal new keys with another master key than that of all in force: servers
    /// that run with that one could not use them, and would sign nothing any more.
    /// - Parameter ids: as for ``retire(_:action:)``.
    package func wouldShutOutServers(retiring ids: Set<String>?) async throws -> Bool {
        let keys = try await store.signingKeys().keys
        var draft = SigningKeyDraft(keys, at: try await retirementTime(of: keys))
        let inForce = draft.keys.filter { $0.isLive(at: draft.now) }
        guard !inForce.isEmpty, !inForce.contains(where: { $0.isOpened(by: maker.master) }) else { return false }
        _ = try withdraw(ids ?? Set(draft.keys.map(\.id)), in: &draft)
        return !draft.added.isEmpty
    }

    /// Withdraws again what an older state of the database brought back.
    func withdrawReturned() async throws {
        let returned = state.withLock { $0.returned }
        guard !returned.isEmpty else { return }
        logger.error(
            "keys that were retired are in the database again, so an older backup was restored; they are retired again",
            metadata: ["kids": "\(returned.sorted())"])
        try await change(isRetirement: true) { draft in
            let retirement = try withdraw(returned.intersection(draft.keys.map(\.id)), in: &draft)
            draft.events =
                retirement.retired.map { key in
                    AuditEvent(
                        at: draft.now, type: .keyRetired, outcome: .success, reason: Self.backupRestored,
                        detail: Self.detail(Self.facts(of: key)))
                } + draft.added.map { Self.addedEvent($0, at: draft.now) }
        }
        try await takeIn()
    }

    /// Has keys sign that every living node has taken in.
    func releaseAwaited() async throws {
        let now = time.now()
        let awaited = state.withLock { $0.awaited }
        guard !awaited.isEmpty else { return }
        let numbers = try await store.signingKeyNumbers(notedSince: now - Self.nodePatience).values
        let known = awaited.filter { _, added in numbers.allSatisfy { $0 >= added } }
        guard !known.isEmpty else { return }
        try await change { draft in
            var schedule = draft.schedule(of: .hs256)
            // In the order in which they came, so that the last one signs.
            for (id, _) in known.sorted(by: { $0.value < $1.value }) { schedule.release(id) }
            draft.take(schedule)
        }
        try await takeIn()
    }

    /// When keys are retired and the next ones begin. A retirement waits for no clock to be put right: it goes by the
    /// earlier one, since by one that is ahead nothing would sign on the nodes whose clocks are right. Where a key is
    /// younger than the earlier clock takes to be possible, it is that one which is wrong: by it a key that has signed
    /// before would sign again (ADR-0010).
    private func retirementTime(of keys: [SealedSigningKey]) async throws -> Timestamp {
        let ours = time.now()
        guard let lead = try await time.lead(over: { try await store.databaseTime() }) else { return ours }
        let theirs = ours - lead
        let (earlier, later) = (min(ours, theirs), max(ours, theirs))
        guard later - earlier > TimeSource.databaseTolerance else { return ours }
        return keys.contains { $0.createdAt > earlier + TimeSource.databaseTolerance } ? later : earlier
    }

    private func withdraw(_ ids: Set<String>, in draft: inout SigningKeyDraft) throws -> KeyRetirement {
        let retired = draft.keys.filter { ids.contains($0.id) && $0.withdrawnAt == nil }
        var signing: [KeyAlgorithm: String] = [:]
        for algorithm in Set(retired.map(\.algorithm)) {
            var schedule = draft.schedule(of: algorithm)
            try schedule.withdraw(Set(retired.map(\.id))) {
                try maker.make(algorithm, at: draft.now, signingAfter: .zero)
            }
            signing[algorithm] = schedule.signing?.id
            draft.take(schedule)
        }
        return KeyRetirement(retired: retired, signing: signing)
    }

    /// Makes a change to the current keys; again when another change was first.
    private func change<Outcome>(
        isRetirement: Bool = false, _ body: (inout SigningKeyDraft) throws -> Outcome
    ) async throws -> Outcome {
        for _ in 0..<Self.attempts {
            let stored = try await store.signingKeys()
            let now = try await isRetirement ? retirementTime(of: stored.keys) : time.now()
            var draft = SigningKeyDraft(stored.keys, at: now)
            let outcome = try body(&draft)
            guard let change = draft.change else { return outcome }
            if try await store.changeSigningKeys(change, seenAs: stored.number, events: draft.events) {
                await announce()
                return outcome
            }
        }
        throw StorageError.unavailable("the keys were changed by others all the time")
    }

    private static func facts(of key: SealedSigningKey) -> [String: String] {
        ["kid": key.id, "algorithm": key.algorithm.rawValue, "signs_from": key.signsFrom.rfc3339]
    }

    private static func detail(_ facts: [String: String]) -> String {
        var writer = JSONObjectWriter()
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) { writer.add(name, value) }
        return writer.finishedText()
    }

    private static func addedEvent(_ key: SealedSigningKey, at now: Timestamp) -> AuditEvent {
        AuditEvent(at: now, type: .keyRotated, outcome: .success, detail: detail(facts(of: key)))
    }
}

/// What a retirement came to.
package struct KeyRetirement: Hashable, Sendable {
    /// As they were before; those that had been retired already are left out.
    package let retired: [SealedSigningKey]
    /// What signs now, for each algorithm concerned.
    package let signing: [KeyAlgorithm: String]
}
