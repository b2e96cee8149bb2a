struct NeverCame: Error {}

/// Asks again and again until the answer is yes.
/// - Throws: ``NeverCame`` when it is not within `limit`.
func eventually(within limit: Duration = .seconds(20), _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverCame() }
        try await Task.sleep(for: .milliseconds(10))
    }
}
