/// How often something is tried that another server did not take, and when.
struct RetryPlan: Sendable {
    /// The pauses before the second and every further attempt.
    let pauses: [Duration]

    /// - Parameter attempts: how often it was tried.
    /// - Returns: how long to wait for the next attempt; `nil` when that was the last.
    func pause(after attempts: Int) -> Duration? {
        let index = max(1, attempts) - 1
        return pauses.indices.contains(index) ? pauses[index] : nil
    }
}
