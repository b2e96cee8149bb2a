extension Migration {
    /// Queues of notices in the order in which each client's are sent: after a restore a million may be due at once,
    /// and each look takes a few of each client.
    static let noticeQueues = Migration(version: 42, name: "notices by client") { _ in
        [
            "CREATE INDEX logout_notice_client ON logout_notice (client_id, next_attempt_at, id)",
            "CREATE INDEX webhook_notice_client ON webhook_notice (client_id, next_attempt_at, id)",
        ]
    }
}
