extension LoginTokenRedeemer {
    /// Runs `body` in the trace of the request that issued the token, where that was recorded; an expired token's is over.
    func inTrace(
        of verification: LoginTokenVerification, _ body: () async throws -> RedemptionOutcome
    ) async throws -> RedemptionOutcome {
        guard let recorder, case .verified(let claims) = verification, let trace = claims.trace else {
            return try await body()
        }
        return try await recorder.run(.redeem, continuing: trace) { span in
            let outcome = try await body()
            span.note(.outcome, outcome.label.rawValue)
            return outcome
        }
    }
}

extension RedemptionOutcome {
    /// One of few words, for charts and traces.
    package enum Label: String, Sendable, CaseIterable {
        case opened, repeated, confirm, refused, limited
        case switchAccount = "switch"
    }

    package var label: Label {
        switch self {
        case .landed(_, let opened): opened == nil ? .repeated : .opened
        case .confirm(_, .wrong): .refused
        case .confirm: .confirm
        case .switchAccount: .switchAccount
        case .refused: .refused
        case .limited: .limited
        }
    }
}
