/// How long a notice that a node cannot deliver waits for another node, which may know where its client is told.
///
/// Such nodes use up none of the attempts of those that know it, so its age alone ends the wait.
struct NoticePatience: Sendable {
    /// The shortest and the longest time after which such a notice is looked at again.
    static let waits = Duration.seconds(1)...Duration.seconds(600)

    /// Counted from the end that the notice is about: longer than a node that knows the client tries, for whom those
    /// that do not know it may put off each attempt a little.
    let limit: Duration

    /// - Returns: how long until it is looked at again; `nil` when it has waited long enough.
    func wait(at age: Duration) -> Duration? {
        guard age < limit else { return nil }
        // Soon where another node is likely to have it, and seldom where none had it for long.
        return min(max(age / 4, Self.waits.lowerBound), Self.waits.upperBound)
    }
}
