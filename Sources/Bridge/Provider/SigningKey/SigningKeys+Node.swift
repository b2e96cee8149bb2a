import Synchronization

/// What nodes do for each other.
extension SigningKeys {
    /// A node that has noted nothing for this long counts as gone.
    package static let nodePatience = Duration.seconds(30)
    /// How often a node notes that it lives.
    static let notePause = Duration.seconds(10)

    /// Nothing for a command, which does not stay.
    func takePart() async throws {
        guard let node else { return }
        noteWithdrawn()
        try await withdrawReturned()
        try await note(as: node)
        try await releaseAwaited()
    }

    /// Says that this node is going, so that no other waits for it.
    package func leave() async throws {
        guard let node else { return }
        try await store.forgetSigningKeys(knownTo: node)
    }

    private func note(as node: String) async throws {
        let now = time.now()
        let number = state.withLock { state -> Int64? in
            guard let number = state.number else { return nil }
            if let note = state.note, note.number == number, now < note.at + Self.notePause, note.at <= now {
                return nil
            }
            return number
        }
        guard let number else { return }
        try await store.noteSigningKeys(number, knownTo: node, at: now)
        state.withLock { $0.note = (number, now) }
    }
}

extension SigningKeys: KeyInquiry {
    /// Questions about unknown keys are this far apart, however many there are.
    static let inquiryPause = Duration.milliseconds(100)

    package func learn(_ keyID: String) async throws {
        let now = time.now()
        let wait = state.withLock { state -> Duration? in
            state.known.contains(keyID) ? nil : state.inquiries.wait(for: keyID, at: now)
        }
        guard let wait else { return }
        // All callers that come meanwhile ask together, and one that wakes up late finds the answer.
        if wait > .zero { try await pause(wait) }
        let isAnswered = wait > .zero && state.withLock { $0.readAt.map { $0 >= now + wait } ?? false }
        if !isAnswered { try await refresh() }
        state.withLock { state in
            if !state.known.contains(keyID) { state.inquiries.remember(keyID) }
        }
    }
}

/// Keys that tokens named and no database has: so that forged names cost it nothing to speak of.
struct UnknownKeys: Sendable {
    /// Bounds the memory; past it all are forgotten, and may be asked for again.
    private static let limit = 1000
    /// Ours are shorter.
    private static let longestID = 64

    private var ids: Set<String> = []
    private var nextQuestionAt: Timestamp?

    /// How long to wait with a question.
    /// - Returns: `nil` when there is none to be asked.
    mutating func wait(for keyID: String, at now: Timestamp) -> Duration? {
        guard keyID.utf8.count <= Self.longestID, !ids.contains(keyID) else { return nil }
        let latest = now + SigningKeys.inquiryPause
        if let planned = nextQuestionAt, planned <= latest {
            if planned > now { return planned - now }
            if planned + SigningKeys.inquiryPause > now {
                nextQuestionAt = planned + SigningKeys.inquiryPause
                return planned + SigningKeys.inquiryPause - now
            }
        }
        nextQuestionAt = now
        return .zero
    }

    mutating func remember(_ keyID: String) {
        if ids.count >= Self.limit { ids = [] }
        ids.insert(keyID)
    }

    /// The database has changed.
    mutating func forgetAnswers() { ids = [] }
}
