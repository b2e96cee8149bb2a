package import Bridge

/// What every ``LoginTokenStore`` must do. The other roles of the storage serve to look at what it did.
package enum LoginTokenStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        [
            ConformanceCase(oneWinner.description) { open in try await oneWinner.check { try await open() } }
        ] + issueCases + idempotencyCases + redeemCases + revokeCases + replayCases + purgeCases

    /// Needs nothing but the role itself, so that a broken store can be given to it.
    package static let oneWinner = ConformanceCase<any LoginTokenStore>(
        "of 100 concurrent redemptions on two servers one opens a session"
    ) { open in
        let servers = [try await open(), try await open()]
        let token = Sample.token("contested")
        let outcomes = try await concurrently(100) { number in
            try await servers[number % 2].redeemSample(token, suffix: "-\(number)")
        }
        let winners = outcomes.indices.filter { outcomes[$0] == .opened }
        try expectEqual(winners.count, 1, "winners")
        let first = Sample.use(Sample.session("contested-\(winners[0])"))
        for outcome in outcomes where outcome != .opened {
            try expectEqual(outcome, .alreadyUsed(first), "what a loser is told")
        }
    }
}
