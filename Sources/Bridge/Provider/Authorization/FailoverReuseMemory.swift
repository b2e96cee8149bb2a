/// A shared memory that is replaced by the process's own while it is away: a value may then pass once more per node.
package struct FailoverReuseMemory: ReuseMemory {
    private let shared: any ReuseMemory
    private let own: InProcessReuseMemory
    private let degradation: Degradation

    package init(_ shared: any ReuseMemory, own: InProcessReuseMemory, degradation: Degradation) {
        self.shared = shared
        self.own = own
        self.degradation = degradation
    }

    package func note(_ value: String, at now: Timestamp) async throws -> Novelty {
        do {
            let novelty = try await shared.note(value, at: now)
            degradation.end()
            return novelty
        } catch let error as StorageError {
            degradation.begin(because: error)
            return own.note(value, at: now)
        }
    }
}
