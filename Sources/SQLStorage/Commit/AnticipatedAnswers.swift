/// The answers to the statements that a write said it would run first.
///
/// They count only while the write runs these statements in this order and nothing in between: from the first other
/// one on, the rest was run before its turn.
struct AnticipatedAnswers {
    private let calls: [SQLCall]
    private let answers: ArraySlice<SQLAnswer>
    private var taken = 0
    /// Whether the write ran something else than what comes next.
    private var hasStrayed = false

    init() {
        calls = []
        answers = []
    }

    /// - Parameter answers: as many as there are calls.
    init(_ calls: [SQLCall], _ answers: ArraySlice<SQLAnswer>) {
        self.calls = calls
        self.answers = answers
    }

    /// The answer to a statement that the write runs now; `nil` when it must be asked for.
    mutating func take(_ statement: SQLStatement, _ arguments: [SQLValue]) -> SQLAnswer? {
        guard !hasStrayed, taken < calls.count else { return nil }
        guard calls[taken].statement == statement, calls[taken].arguments == arguments else {
            hasStrayed = true
            return nil
        }
        defer { taken += 1 }
        return answers[answers.startIndex + taken]
    }

    /// Whether something was written that the write did not come to, or not in its turn.
    var leavesChange: Bool { answers.dropFirst(taken).contains { $0.changes > 0 } }
}

/// Thrown when what was run ahead of a write is not what the write ran: the transaction holds what was not asked for.
struct AnticipationMissed: Error {}
