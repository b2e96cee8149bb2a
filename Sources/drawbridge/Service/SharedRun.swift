import Synchronization

/// Work that is done at most once at a time: whoever wants it meanwhile waits for the same run.
final class SharedRun: Sendable {
    private let current = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameter work: what is done where no run is under way.
    func join(or work: @escaping @Sendable () async throws -> Void) async throws {
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
