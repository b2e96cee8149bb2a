/// What happened to a user's second factor: the `change` in the detail of `user.second_factor_changed`.
package enum SecondFactorChange: String, Sendable, CaseIterable {
    case enrolled, removed
    case recoveryCodesRenewed = "recovery_codes_renewed"
    /// One took the place of the app's code: the device is lost, or the list was stolen.
    case recoveryCodeUsed = "recovery_code_used"

    /// The event of this change by an administrator or operator.
    package func event(by action: AdminAction, of subject: Subject) -> AuditEvent {
        action.event(.userSecondFactorChanged, subject: subject, facts: [AuditDetail.change: rawValue])
    }

    /// The event of this change when users make it themselves, in their browser.
    func event(byUser session: WebSession, origin: RequestOrigin, at now: Timestamp) -> AuditEvent {
        .byUser(
            .userSecondFactorChanged, session.subject, sessionID: session.id, facts: [AuditDetail.change: rawValue],
            origin: origin, at: now)
    }
}
