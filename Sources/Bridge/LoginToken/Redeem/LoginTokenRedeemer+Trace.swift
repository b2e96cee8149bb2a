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
            span.note(.outcome, outcome.label)
            return outcome
        }
    }
}

extension RedemptionOutcome {
    /// One of few words, for charts and traces.
    package var label: String {
        switch self {
        case .landed(_, let opened): opened == nil ? "repeated" : "opened"
        case .confirm(_, .wrong): "refused"
        case .confirm: "confirm"
        case .switchAccount: "switch"
        case .refused: "refused"
        case .limited: "limited"
        }
    }

    package static let labels = ["opened", "repeated", "confirm", "switch", "refused", "limited"]
}
