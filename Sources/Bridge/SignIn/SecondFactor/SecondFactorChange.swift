/// What happened to a user's second factor: the `change` in the detail of `user.second_factor_changed`.
package enum SecondFactorChange: String, Sendable, CaseIterable {
    case enrolled, removed
    case recoveryCodesRenewed = "recovery_codes_renewed"

    /// The event of this change by an administrator or operator.
    package func event(by action: AdminAction, of subject: Subject) -> AuditEvent {
        action.event(.userSecondFactorChanged, subject: subject, facts: ["change": rawValue])
    }

    /// The event of this change by the user himself, in his browser.
    func event(byUser session: WebSession, origin: RequestOrigin, at now: Timestamp) -> AuditEvent {
        AdminAction(actor: .account(session.subject), reason: "by the user", origin: origin, at: now)
            .event(
                .userSecondFactorChanged, subject: session.subject, sessionID: session.id,
                facts: ["change": rawValue])
    }
}
