extension AuditCheckpoint {
    /// The last checkpoint of each such part of a chain, and of each hour, stays.
    private static let part: (events: Int64, milliseconds: Int64) = (1000, 3_600_000)

    /// Whether this one may go for the sake of the next one, where the chain agrees with both (ADR-0068).
    package func isSuperfluous(before later: AuditCheckpoint) -> Bool {
        size / Self.part.events == later.size / Self.part.events
            && at.milliseconds / Self.part.milliseconds == later.at.milliseconds / Self.part.milliseconds
    }
}
