/// How long a migration goes on trying while transactions that stay open hold what it needs.
package struct MigrationPatience: Sendable {
    /// Once this is over, no further attempt begins. Waiting for another node's attempts counts; each node makes one.
    package var limit: Duration
    /// Between two attempts, of whichever node: what queued up behind the first one must be through.
    package var pause: Duration

    package static let standard = MigrationPatience(limit: .seconds(600), pause: .seconds(5))

    package init(limit: Duration, pause: Duration) {
        self.limit = limit
        self.pause = pause
    }
}
