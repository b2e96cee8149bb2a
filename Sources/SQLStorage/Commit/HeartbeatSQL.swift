/// A row that is written for the sake of writing, one per node. Once it is there it takes no room, so on a full disk it
/// may still succeed; see ``WriteOutage``.
enum HeartbeatSQL {
    static let beat: SQLStatement = """
        INSERT INTO heartbeat (node, at) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET at = excluded.at
        """
}
