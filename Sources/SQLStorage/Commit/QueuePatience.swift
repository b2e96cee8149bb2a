/// For how long a write may wait for its turn: past that it is refused, and surely not made (ADR-0087).
///
/// A commit that takes long, or a database that does not answer, would otherwise hold whoever comes behind it for as
/// long as it likes.
enum QueuePatience {
    /// As long as a read waits for a connection. A commit may take as long again, so that who asks is told within the
    /// ten seconds after which a proxy gives a node up (docs/operations.md, A node that hangs).
    static let limit = Duration.seconds(5)
    /// How often what waits is looked at.
    static let pulse = Duration.milliseconds(500)
    /// The look at which a write is refused. The first may come right after it.
    ///
    /// Looks are counted, and not time: a process that stood still for a while has not held its writes up, and goes on
    /// with them.
    static let looks = Int(limit / pulse) + 1
    /// Between two lines of the log about writes that were refused.
    static let silence = Duration.seconds(60)
}
