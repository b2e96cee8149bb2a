import OAuth2

// The browser that waits while a phone answers on another device.
extension SelfIssuedSignIn {
    /// What the browser that asked is told of the answer.
    package enum Waiting: Sendable {
        /// Nothing has come yet.
        case waiting
        /// A phone answered; the browser's user has to say that it was theirs.
        /// - Parameters:
        ///   - account: `nil` for a key without one.
        ///   - needsCode: whether a code of the second factor is asked for as well.
        case answered(account: Account?, needsCode: Bool)
        /// Over, or another browser's.
        case over
    }

    /// What a page for the browser that waits is made of.
    package struct WaitingPage: Sendable {
        package let standing: Waiting
        /// What the sign-in is for; empty for another browser's, and for one that is gone.
        package let errand: String
        /// Whether a key is to be linked.
        package let isLinking: Bool
    }

    /// Looks at a transaction, for the browser that began it.
    package func look(
        _ state: String, browser: OpaqueSecret?, origin: RequestOrigin
    ) async throws -> WaitingPage {
        let now = time.now()
        guard let transaction = try await waiting(state, browser: browser, at: now) else {
            return WaitingPage(standing: .over, errand: "", isLinking: false)
        }
        return WaitingPage(
            standing: try await standing(of: transaction, origin: origin, at: now), errand: transaction.errand,
            isLinking: transaction.linking != nil)
    }

    private func standing(
        of transaction: SelfIssuedTransaction, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Waiting {
        guard let proof = transaction.answer else { return now < transaction.codeEndsAt ? .waiting : .over }
        guard let account = try await account(of: proof) else { return .answered(account: nil, needsCode: false) }
        guard !account.hasEnded(since: transaction.answeredAfter) else { return .over }
        return .answered(account: account, needsCode: needsCode(account, origin: origin, at: now))
    }

    /// What a browser gets that says: that was me.
    package enum PickUp: Sendable {
        case done(SelfIssuedOutcome)
        case wrongCode
        case limited(Duration)
        case over
    }

    /// Opens the session that a phone answered for, in the browser that began it; it is not handed on.
    /// - Throws: ``SelfIssuedRefusal``, which is written down; ``StorageError``.
    package func pickUp(
        _ state: String, code: String?, browser: OpaqueSecret?, current: WebSession?, origin: RequestOrigin
    ) async throws -> PickUp {
        let now = time.now()
        return try await linkedKeys.recording(origin: origin, at: now) {
            guard let seen = try await waiting(state, browser: browser, at: now) else {
                // Another browser, or too late: only the log is told which.
                if state.utf8.count <= Self.longestState, let other = try await transactions.look(state, at: now) {
                    try await recordRefusal(.browserMismatch, of: other, origin: origin, at: now)
                }
                return .over
            }
            // Its own browser, which no page offers this before there is an answer.
            guard let proof = seen.answer else { return .over }
            if let account = try await account(of: proof), needsCode(account, origin: origin, at: now) {
                let verdict = try await throttle.code(of: account, origin: origin, at: now) {
                    try await codes.accepts(
                        CodeAttempt(code: code ?? "", session: nil, origin: origin, at: now), for: account)
                }
                switch verdict {
                case .limited(let wait): return .limited(wait)
                case .wrong:
                    try await recordRefusal(.wrongCode, of: seen, origin: origin, at: now)
                    return .wrongCode
                case .right: break
                }
            }
            // Of several that say so at once, one.
            let taken = try await transactions.take(state, at: now)
            guard taken == seen else { return .over }
            guard try await useUp("picked up \(state)", of: seen) else {
                try await recordRefusal(.replayed, of: seen, origin: origin, at: now)
                return .over
            }
            return .done(
                try await resolve(
                    proof, after: seen.answeredAfter, errand: seen.errand, by: .phoneElsewhere, current: current,
                    origin: origin, at: now))
        }
    }

    /// "That was not me": nothing is opened with this answer.
    /// - Returns: what the sign-in was for; empty where this browser began none.
    @discardableResult
    package func decline(_ state: String, browser: OpaqueSecret?, origin: RequestOrigin) async throws -> String {
        let now = time.now()
        guard let transaction = try await waiting(state, browser: browser, at: now) else { return "" }
        _ = try await transactions.take(state, at: now)
        _ = try await useUp("picked up \(state)", of: transaction)
        try await refusals.record(
            AuditEvent(
                at: now, type: .selfIssuedRefused, outcome: .failure,
                reason: RefusalReason.declinedInBrowser.rawValue, subject: subject(of: transaction), origin: origin,
                detail: transaction.answer.map { LinkedKeys.detail($0.thumbprint) }))
        return transaction.errand
    }

    /// Whether what waits is the linking of a key; for the phone's own browser, which began nothing.
    package func isLinking(_ state: String) async throws -> Bool {
        try await transactions.look(state, at: time.now())?.linking != nil
    }

    private func waiting(
        _ state: String, browser: OpaqueSecret?, at now: Timestamp
    ) async throws -> SelfIssuedTransaction? {
        guard let browser, state.utf8.count <= Self.longestState,
            let transaction = try await transactions.look(state, at: now),
            ConstantTime.equals(browser.digest.utf8, transaction.browserDigest.utf8)
        else { return nil }
        return transaction
    }

    private func recordRefusal(
        _ reason: SelfIssuedRefusal.Reason, of transaction: SelfIssuedTransaction, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        let refusal = SelfIssuedRefusal(
            reason, thumbprint: transaction.answer?.thumbprint, subject: try await subject(of: transaction))
        try await refusals.selfIssuedRefused(refusal, origin: origin, at: now)
    }

    /// Who waits to link a key, or whose key has answered, unlinked since or not; `nil` for a key without an account.
    private func subject(of transaction: SelfIssuedTransaction) async throws -> Subject? {
        if let linking = transaction.linking { return linking }
        guard let proof = transaction.answer else { return nil }
        return try await storage.linkedKey(proof.thumbprint)?.subject
    }

    private func account(of proof: SelfIssuedProof) async throws -> Account? {
        guard let key = try await linkedKeys.liveKey(proof.thumbprint) else { return nil }
        return try await storage.account(of: key.subject)
    }

    /// Except in a browser in which the user has shown the second factor that they have now: one that is known by the
    /// password alone is that of anybody who had the password.
    private func needsCode(_ account: Account, origin: RequestOrigin, at now: Timestamp) -> Bool {
        guard account.secondFactor != nil else { return false }
        return throttle.knownBrowsers.mark(of: account, in: origin.recognition, at: now)?.isOfTwoFactors != true
    }
}
