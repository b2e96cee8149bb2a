/// What redeeming came to, for the caller that brought the token.
protocol TracedRedemption: Sendable {
    var label: RedemptionOutcome.Label { get }
}

extension LoginTokenRedeemer {
    /// Verifies a token that is brought to be redeemed, redeems it, and tells what came of it, unless that throws. Every
    /// way of redeeming one comes through here; a pushed request only asks (``LoginTokenAuthorizations``).
    func redeeming<Outcome: TracedRedemption>(
        _ token: Secret<String>, at now: Timestamp, _ redeem: (LoginTokenVerification) async throws -> Outcome
    ) async throws -> Outcome {
        let outcome = try await traced(token, at: now, redeem)
        onOutcome(outcome.label)
        return outcome
    }

    /// In the trace of the request that issued the token, where that was recorded; an expired token's is over.
    private func traced<Outcome: TracedRedemption>(
        _ token: Secret<String>, at now: Timestamp, _ redeem: (LoginTokenVerification) async throws -> Outcome
    ) async throws -> Outcome {
        let verification = try await reader.verify(token, at: now)
        guard let recorder, case .verified(let claims) = verification, let trace = claims.trace else {
            return try await redeem(verification)
        }
        return try await recorder.run(.redeem, continuing: trace) { span in
            let outcome = try await redeem(verification)
            span.note(.outcome, outcome.label.rawValue)
            return outcome
        }
    }
}

extension RedemptionOutcome: TracedRedemption {
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
