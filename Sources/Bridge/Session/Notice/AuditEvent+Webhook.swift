import OAuth2

extension AuditEvent {
    /// The reason as websites hear it: what an administrator wrote was written for the audit log.
    package var reasonForWebsites: String? { isByAdministrator ? AdminAction.defaultReason : reason }

    private var isByAdministrator: Bool {
        detail.flatMap { JSONValue.parse($0.utf8)?.object?["actor"] } != nil
    }
}
