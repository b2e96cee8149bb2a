/// How this machine's clock stands to that of a database which nodes share (ADR-0010).
extension TimeSource {
    /// More than clocks differ that are being kept right.
    package static let databaseTolerance = Duration.seconds(60)

    /// By how much our clock is ahead of another; less than nothing where it is behind, `nil` where there is no other.
    /// - Parameter ask: what time the other one has.
    package func lead(over ask: () async throws -> Timestamp?) async throws -> Duration? {
        let before = now()
        guard let theirs = try await ask() else { return nil }
        // The answer was made at some moment between the two: only what lies outside of them is a difference.
        return theirs < before ? before - theirs : min(.zero, now() - theirs)
    }

    /// - Throws: ``ClockError`` where the clocks differ by more than they may; what `ask` throws.
    func requireAgreement(with ask: () async throws -> Timestamp?) async throws {
        guard let lead = try await lead(over: ask) else { return }
        guard lead <= Self.databaseTolerance, lead + Self.databaseTolerance >= .zero else {
            throw ClockError(lead: lead)
        }
    }
}

/// Our clock is not that of the database: an instant that it writes down there is another one for the other nodes.
struct ClockError: Error, Hashable, CustomStringConvertible {
    /// By how much ours is ahead; less than nothing where it is behind.
    let lead: Duration

    var description: String {
        """
        this machine's clock is \(abs(lead.components.seconds)) s \(lead < .zero ? "behind" : "ahead of") the database's, \
        and new keys would begin by it. Correct the one that is wrong; see A clock is wrong in docs/operations.md
        """
    }
}
