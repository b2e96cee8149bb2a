import Bridge

/// The audit log: who signs it, and how long it stays.
struct AuditSettings: Sendable {
    static let signingKeyFile = Setting.path(
        "audit.signing_key_file",
        "Ed25519 key that signs the audit log's checkpoints and cuts; made at the first start. Default: "
            + "audit-signing-key in data_directory.")
    static let retention = Setting.optionalDuration(
        "audit.retention", .seconds(86_400)...(.seconds(3650 * 86_400)),
        "How long audit events are kept at least; off keeps them for ever.")

    let signingKeyPath: String
    /// `nil` keeps events for ever.
    let retention: Duration?

    init(reading settings: SettingsReader, in dataDirectory: String) {
        signingKeyPath = settings.path(Self.signingKeyFile, or: "\(dataDirectory)/\(FileName.auditSigningKey)")
        retention = settings[Self.retention]
    }
}
