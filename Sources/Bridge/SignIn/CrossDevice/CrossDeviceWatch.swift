import Synchronization

/// Has many wait for changes of their records, at the price of one question to the store for all of them: while any
/// waits, twice a second.
///
/// Only so many: each holds a connection and its request's memory, and thousands of open pages would hold as many.
package final class CrossDeviceWatch: Sendable {
    /// What metrics are told.
    package enum Report: Hashable, Sendable {
        /// How many wait, with every question to the store.
        case waiting(Int)
        /// One more came who could not be kept waiting.
        case turnedAway
    }

    /// How a wait went.
    enum Wait: Hashable, Sendable {
        /// There is a change, or no page has to wait any longer.
        case ended
        /// None began: as many wait as may, or a page waits for this record already.
        case noPlace
    }

    private struct Waiter {
        let number: Int
        let version: Int64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Wait, any Error>
    }

    private struct State {
        /// By record: one page has one place, however often it asks.
        var waiters: [String: Waiter] = [:]
        var lastNumber = 0
        /// The calls that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var isAsking = false
        /// The node stops: no page may be kept waiting.
        var isStopped = false
    }

    /// The pause between two questions.
    static let pause = Duration.milliseconds(500)

    private let store: any CrossDeviceStore
    private let capacity: Int
    private let time: TimeSource
    private let report: @Sendable (Report) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: how many may wait at a time.
    ///   - report: for metrics.
    package init(
        store: any CrossDeviceStore, capacity: Int, time: TimeSource,
        report: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        self.store = store
        self.capacity = capacity
        self.time = time
        self.report = report
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Sends away all that wait, and all that still come: the node stops, and another answers.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.continuation.resume(returning: .ended) }
    }

    /// Returns when the record's version is another, when the time is over, when the task is cancelled, or with
    /// ``stop()``; at once where there is no place. A place is free again as soon as this returns.
    /// - Throws: ``StorageError`` when the store cannot say.
    func change(of key: String, from version: Int64, within patience: Duration) async throws -> Wait {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        // Cancelled when it was over already, also by a store that failed: nothing else would take the number out
        // again.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        let deadline = time.uptime().advanced(by: patience)
        let wait = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let entry = enter(
                    Waiter(number: number, version: version, deadline: deadline, continuation: continuation), for: key)
                switch entry {
                case .waits: break
                case .begins: Task { await ask() }
                case .over: continuation.resume(returning: .ended)
                case .noPlace: continuation.resume(returning: .noPlace)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                guard state.waiters[key]?.number == number else {
                    state.cancelled.insert(number)
                    return nil as Waiter?
                }
                return state.waiters.removeValue(forKey: key)
            }
            waiter?.continuation.resume(returning: .ended)
        }
        if wait == .noPlace { report(.turnedAway) }
        return wait
    }

    private enum Entry {
        case waits
        /// The first, who sets the questions going.
        case begins
        case over
        case noPlace
    }

    /// Counts and enters under one lock, so that of many who come at once none is one too many.
    private func enter(_ waiter: Waiter, for key: String) -> Entry {
        state.withLock { state in
            if state.cancelled.remove(waiter.number) != nil || state.isStopped { return .over }
            guard state.waiters.count < capacity, state.waiters[key] == nil else { return .noPlace }
            state.waiters[key] = waiter
            defer { state.isAsking = true }
            return state.isAsking ? .waits : .begins
        }
    }

    private func ask() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let keys: Set<String>? = state.withLock { state in
                if state.waiters.isEmpty { state.isAsking = false }
                return state.waiters.isEmpty ? nil : Set(state.waiters.keys)
            }
            report(.waiting(keys?.count ?? 0))
            guard let keys else { return }
            let found: Result<[String: Int64], any Error>
            do {
                found = .success(try await store.movedCrossDevices(among: keys, at: time.now()))
            } catch {
                found = .failure(error)
            }
            settle(found, asked: keys)
        }
    }

    private func settle(_ found: Result<[String: Int64], any Error>, asked keys: Set<String>) {
        let now = time.uptime()
        let done = state.withLock { state in
            let done = state.waiters.filter { key, waiter in
                guard keys.contains(key) else { return false }
                guard case .success(let versions) = found else { return true }
                return now >= waiter.deadline || versions[key, default: 0] > waiter.version
            }
            for key in done.keys { state.waiters[key] = nil }
            return done.values
        }
        for waiter in done {
            switch found {
            case .success: waiter.continuation.resume(returning: .ended)
            case .failure(let error): waiter.continuation.resume(throwing: error)
            }
        }
    }
}
