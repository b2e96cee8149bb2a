/// What an audit log is verified against.
package struct AuditVerificationTerms: Sendable {
    /// Those whose signatures count. Without any, no checkpoint and no cut can be good.
    package var keys: [AuditVerifierKey]
    /// Signed notes that were kept outside of the database: the log must extend each of them.
    package var kept: [AuditNote]
    /// The least retention that may have been in force when events were removed; `nil` asks nothing.
    package var leastRetention: Duration?

    package init(trusting keys: [AuditVerifierKey], kept: [AuditNote] = [], leastRetention: Duration? = nil) {
        self.keys = keys
        self.kept = kept
        self.leastRetention = leastRetention
    }
}
