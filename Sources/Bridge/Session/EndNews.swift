/// How far a node has read the ends of sessions.
package struct EndMark: Hashable, Sendable {
    /// Which run of the database the number belongs to: after a failover or a restore numbers may come again.
    package let run: String
    /// Every transaction with a lower number was over when the mark was taken.
    package let number: Int64

    package init(run: String, number: Int64) {
        self.run = run
        self.number = number
    }
}

/// What ``SessionStore/sessionsEnded(since:)`` found.
package struct EndNews: Hashable, Sendable {
    package let ended: [SessionID]
    /// Where the next call goes on.
    package let mark: EndMark
    /// Whether ends may be missing here: at first, and when the numbers began again since the earlier mark.
    package let hasGap: Bool

    package init(ended: [SessionID], mark: EndMark, hasGap: Bool) {
        self.ended = ended
        self.mark = mark
        self.hasGap = hasGap
    }
}
