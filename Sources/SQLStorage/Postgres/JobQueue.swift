import Dispatch
import Synchronization

/// Work for a few threads of our own: database calls block, and the threads that run tasks must not.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var waiting: [Job] = []
        /// How many of `waiting` are taken already; removing each from the front would move all the others.
        var taken = 0
        var isClosed = false
    }

    private let limit: Int
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether the job was taken in; not when the queue is full or closed.
    func add(_ job: Job) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isClosed, state.waiting.count - state.taken < limit else { return false }
            state.waiting.append(job)
            return true
        }
        if isAdded { arrivals.signal() }
        return isAdded
    }

    /// Waits for a job; `nil` when the queue is closed and empty.
    func next() -> Job? {
        arrivals.wait()
        let job: Job? = state.withLock { state in
            guard state.taken < state.waiting.count else { return nil }
            let job = state.waiting[state.taken]
            state.taken += 1
            if state.taken == state.waiting.count || state.taken >= 1024 {
                state.waiting.removeFirst(state.taken)
                state.taken = 0
            }
            return job
        }
        // Only a close wakes a thread without a job: pass it on to the next one.
        if job == nil { arrivals.signal() }
        return job
    }

    /// Refuses further jobs; what waits is still done.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { arrivals.signal() }
    }
}
