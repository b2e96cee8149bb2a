import Synchronization

/// An action that many want done at the same time: it runs once at a time, and each caller gets the outcome of a run
/// that began after the call. Where a run under way is as good, ``SingleFlight`` does.
package final class FreshRun: Sendable {
    private struct State {
        var last: Task<Void, any Error>?
        /// Has not begun: a caller that asks now may share it.
        var waiting: Task<Void, any Error>?
        var running: Task<Void, any Error>?
    }

    private let state = Mutex(State())
    private let action: @Sendable () async throws -> Void

    package init(_ action: @escaping @Sendable () async throws -> Void) { self.action = action }

    package func callAsFunction() async throws {
        let run = state.withLock { state in
            if let waiting = state.waiting { return waiting }
            let run = Task { [last = state.last] in
                _ = await last?.result
                // What waited is this run: no other was begun while it did.
                self.state.withLock { state in
                    state.running = state.waiting
                    state.waiting = nil
                }
                defer { self.state.withLock { $0.running = nil } }
                try await action()
            }
            state.waiting = run
            state.last = run
            return run
        }
        try await run.value
    }

    /// Shares the run under way, whenever that began; where there is none, as a call does. For those to whom what was
    /// true a moment ago is good enough.
    package func join() async throws {
        guard let running = state.withLock({ $0.running }) else { return try await self() }
        try await running.value
    }
}
