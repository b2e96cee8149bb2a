/// How many writes the writer waits for before it begins a commit, and for how long (ADR-0028).
///
/// Each commit writes some pages and flushes the disk once, whatever it holds. A caller alone never waits. Where
/// several write at a time, those whose commit has just ended come again while the next waits; the slower the disk,
/// the longer it may wait for them.
struct CommitPace {
    /// How many callers wrote lately at the same time.
    private(set) var companions = 1
    /// How long the first of them may wait for the others.
    private(set) var patience = Duration.zero

    /// How many times as long as a commit takes.
    private static let commits = 2
    private static let longest = Duration.milliseconds(5)
    /// The part of the last commit's time in what is taken for a commit's time, so that one slow flush changes little.
    private static let weight = 8

    private var usualTime = Duration.zero

    /// - Parameters:
    ///   - writes: what a commit held.
    ///   - waiting: what had come in by its end, before any of its callers was told.
    ///   - time: how long it took.
    mutating func note(writes: Int, waiting: Int, time: Duration) {
        companions = writes + waiting
        usualTime = usualTime == .zero ? time : usualTime + (time - usualTime) / Self.weight
        patience = max(.zero, min(usualTime * Self.commits, Self.longest))
    }
}
