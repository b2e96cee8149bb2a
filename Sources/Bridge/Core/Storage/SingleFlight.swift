import Synchronization

/// Work that is done at most once at a time: a caller that wants it meanwhile joins the run under way, whenever that
/// began. A caller that needs what is true after the call wants ``FreshRun``.
package final class SingleFlight: Sendable {
    private let current = Mutex<Task<Void, any Error>?>(nil)

    package init() {}

    /// - Parameter work: what is done where no run is under way.
    package func join(or work: @escaping @Sendable () async throws -> Void) async throws {
        let run = current.withLock { current -> Task<Void, any Error> in
            if let current { return current }
            let task = Task {
                defer { self.current.withLock { $0 = nil } }
                try await work()
            }
            current = task
            return task
        }
        try await run.value
    }
}
