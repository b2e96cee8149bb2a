package import Bridge

extension DurableStorage {
    package func changeUser(
        _ subject: Subject, _ change: UserChange, at now: Timestamp, events: @escaping UserChange.Events
    ) async throws -> UserChangeOutcome {
        try await write { transaction in
            var ended: [SessionID] = []
            var isChanged = false
            // What is refused takes back what was changed before it.
            func take(_ outcome: UserChangeOutcome) throws {
                switch outcome {
                case .changed(let more):
                    ended += more
                    isChanged = true
                case .unchanged: break
                case .noAccount, .lastAdministrator: throw Withdrawn(outcome: outcome)
                }
            }
            if let role = change.role {
                let name = if case .give(let role) = role { role.rawValue } else { "none" }
                try take(transaction.setRole(role, of: subject, event: events(.userRoleChanged, ["role": name])))
            }
            if let disabled = change.isDisabled {
                let event = events(disabled ? .userDisabled : .userEnabled, [:])
                try take(
                    transaction.setDisabled(
                        disabled, subject: subject, at: now, event: event, ended: events(.webSessionEnded, [:])))
            }
            if let claims = change.claims {
                let isSet = try transaction.setClaims(
                    claims, of: subject, at: now, event: events(.userClaimsChanged, [:]))
                try take(isSet ? .changed(ended: []) : .noAccount)
            }
            if let hash = change.passwordHash {
                let sessions = try transaction.setPassword(
                    hash, of: subject, at: now, event: events(.userPasswordChanged, [:]),
                    ended: events(.webSessionEnded, [:]))
                try take(sessions.map { .changed(ended: $0) } ?? .noAccount)
            }
            return isChanged ? .changed(ended: ended) : .unchanged
        }
    }
}
