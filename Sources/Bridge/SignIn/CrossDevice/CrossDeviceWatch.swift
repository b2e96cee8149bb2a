import Synchronization

/// Has many wait for changes of their records, at the price of one question to the store for all of them: while anybody
/// waits, twice a second.
package final class CrossDeviceWatch: Sendable {
    private struct Waiter {
        let key: String
        let version: Int64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
        /// Of calls that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var isAsking = false
        /// The node stops: nobody may be kept waiting.
        var isStopped = false
    }

    /// Between two questions.
    static let pause = Duration.milliseconds(500)

    private let store: any CrossDeviceStore
    private let time: TimeSource
    private let report: @Sendable (_ waiting: Int) -> Void
    private let state = Mutex(State())

    /// - Parameter report: told with every question how many wait, for metrics.
    package init(
        store: any CrossDeviceStore, time: TimeSource = .system,
        report: @escaping @Sendable (_ waiting: Int) -> Void = { _ in }
    ) {
        self.store = store
        self.time = time
        self.report = report
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Sends everybody away who waits, and whoever comes yet: the node stops, and another answers.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Returns when the record's version is another, when the time is over, when the task is cancelled, or with ``stop()``.
    /// - Throws: ``StorageError`` when the store cannot say.
    func change(of key: String, from version: Int64, within patience: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let deadline = time.uptime().advanced(by: patience)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, begins) = state.withLock { state in
                    if state.cancelled.remove(number) != nil || state.isStopped { return (true, false) }
                    state.waiters[number] = Waiter(
                        key: key, version: version, deadline: deadline, continuation: continuation)
                    defer { state.isAsking = true }
                    return (false, !state.isAsking)
                }
                if isOver { continuation.resume() }
                if begins { Task { await ask() } }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.cancelled.insert(number) }
                return waiter
            }
            waiter?.continuation.resume()
        }
        // Cancelled after it was over: nobody would take the number out again.
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    private func ask() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let keys: Set<String>? = state.withLock { state in
                if state.waiters.isEmpty { state.isAsking = false }
                return state.waiters.isEmpty ? nil : Set(state.waiters.values.map(\.key))
            }
            report(keys?.count ?? 0)
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
            let done = state.waiters.filter { _, waiter in
                guard keys.contains(waiter.key) else { return false }
                guard case .success(let versions) = found else { return true }
                return now >= waiter.deadline || versions[waiter.key, default: 0] > waiter.version
            }
            for number in done.keys { state.waiters[number] = nil }
            return done.values
        }
        for waiter in done {
            switch found {
            case .success: waiter.continuation.resume()
            case .failure(let error): waiter.continuation.resume(throwing: error)
            }
        }
    }
}
