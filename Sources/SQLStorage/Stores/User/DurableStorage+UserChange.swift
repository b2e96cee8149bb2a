package import Bridge

extension DurableStorage {
    package func changeUser(
        _ subject: Subject, _ change: UserChange, events: @escaping UserChange.Events, ending: Ending
    ) async throws -> UserChangeOutcome {
        try await write { [endings] transaction in
            if let seen = change.seen {
                guard try transaction.holds(seen, against: change) else { return .changedMeanwhile }
            } else if change.isDisabled != nil {
                try transaction.hold(subject, for: change)
            }
            let sparesLast = change.sparesLastAdministrator
            var ended = Ended.nothing
            var isChanged = false
            // What is refused takes back what was changed before it.
            func take(_ outcome: UserChangeOutcome) throws {
                switch outcome {
                case .changed(let more):
                    ended = ended + more
                    isChanged = true
                case .unchanged: break
                case .noAccount, .lastAdministrator, .usernameTaken, .changedMeanwhile:
                    throw Withdrawn(outcome: outcome)
                }
            }
            if let role = change.role {
                let name = if case .give(let role) = role { role.rawValue } else { "none" }
                let event = events(.userRoleChanged, UserChange.Facts(["role": name]))
                try take(transaction.setRole(role, of: subject, sparesLast: sparesLast, event: event))
            }
            if let disabled = change.isDisabled {
                let event = events(disabled ? .userDisabled : .userEnabled, UserChange.Facts())
                try take(
                    transaction.setDisabled(
                        disabled, subject: subject, sparesLast: sparesLast, event: event, ending, by: endings))
            }
            if let names = change.names {
                try take(transaction.setNames(names, of: subject, at: ending.at, events: events))
            }
            if let claims = change.claims {
                try take(transaction.setClaims(claims, of: subject, at: ending.at, events: events))
            }
            if let hash = change.passwordHash {
                let event = events(.userPasswordChanged, UserChange.Facts())
                let more = try transaction.setPassword(hash, of: subject, event: event, ending, by: endings)
                try take(more.map(UserChangeOutcome.changed) ?? .noAccount)
            }
            return isChanged ? .changed(ended) : .unchanged
        }
    }
}
