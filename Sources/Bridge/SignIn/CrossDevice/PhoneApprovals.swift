import OAuth2

/// What a phone shows of a computer before its user decides.
package struct ScannedSignIn: Sendable {
    /// The computer's browser and system, as they say of themselves; a hint.
    package let browser: String?
    package let system: String?
    /// The computer's network, such as `203.0.113.0/24`.
    package let network: String?
    /// Whether phone and computer are in one network (/24 of IPv4, /56 of IPv6): a hint as well.
    package let isSameNetwork: Bool
    /// Whether this user has signed in in that browser before.
    package let isKnownBrowser: Bool
    /// Seconds since the page was opened.
    package let age: Int
    /// Names this phone's scans of this page, however often it scans; the approval brings it back.
    package let transaction: Secret<String>
    /// Seconds to decide in.
    package let expiresIn: Int
}

/// The digits that a phone shows.
package struct ShownDigits: Sendable {
    package let digits: Secret<String>
    package let expiresIn: Int
}

/// Signing in a computer's browser with a phone (contract §9): the phone's side; the computer's is ``PhoneSignIns``.
/// Each step writes by compare-and-set what it has decided on, and then says so in the audit log.
package final class PhoneApprovals: Sendable {
    let records: PhoneSignInRecords
    let approvers: PhoneApprovers
    private let knownBrowsers: KnownBrowsers
    private let accounts: any UserStore
    let log: CrossDeviceLog
    let time: TimeSource
    private let random: RandomSource

    package init(
        records: PhoneSignInRecords, approvers: PhoneApprovers, knownBrowsers: KnownBrowsers,
        accounts: any UserStore, log: CrossDeviceLog, time: TimeSource, random: RandomSource = .system
    ) {
        self.records = records
        self.approvers = approvers
        self.knownBrowsers = knownBrowsers
        self.accounts = accounts
        self.log = log
        self.time = time
        self.random = random
    }

    /// The id behind eight letters that were typed in the app.
    /// - Throws: `OAuthError(.notFound)`; `OAuthError(.rateLimited)` after five wrong ones.
    package func find(
        typed: String, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws -> (id: String, expiresIn: Int) {
        let now = time.now()
        let phone = try await approvers.phone(of: bearer, isFresh: false, origin: origin, at: now)
        let keys = LimitSettings.userCodeKeys(phone.subject)
        // Counted as wrong until it is found right, so that many at once are no more attempts than many in turn.
        for key in [keys.wrong, keys.all] {
            try await log.gate.pass(
                [key], of: phone.subject, client: phone.clientID, origin: origin, at: now, else: .rateLimited,
                "too many codes were wrong")
        }
        if let code = DeviceUserCode(typed), let id = try await records.id(ofCode: code, at: now),
            let found = try await records.find(id, at: now), found.signIn.mayBeScanned(by: phone, at: now)
        {
            await log.gate.giveBack([keys.wrong], at: now)
            return (id, (found.signIn.endsAt() - now).roundedUpSeconds)
        }
        try await log.recordRefusal(.unknownCode, of: phone, origin: origin, at: now)
        throw OAuthError(.notFound, "no page shows this code now")
    }

    /// Binds the first phone that comes, and tells it about the computer; the same again where that phone asks again.
    /// - Throws: `OAuthError`: `not_found`, `already_scanned`, `conflict`, or that this bearer may not.
    package func scan(_ id: String, bearer: BearerIdentity, origin: RequestOrigin) async throws -> ScannedSignIn {
        let phone = try await approvers.phone(of: bearer, isFresh: false, origin: origin, at: time.now())
        let transaction = records.transaction(of: id, for: phone)
        func isNear(_ signIn: PhoneSignIn) -> Bool {
            let network = PhoneApprovers.network(of: signIn.page.address)
            return origin.address.flatMap { address in network.map { $0.contains(address) } } ?? false
        }
        let (signIn, now, _) = try await step(id, phone, origin) { signIn, now throws(PhoneSignIn.Refusal) in
            // Before anything is written: a phone that may not must not keep the right one out.
            guard !approvers.requiresSameNetwork || isNear(signIn) else { throw .otherNetwork }
            return try signIn.scanned(by: phone, transaction: transaction, at: now)
        }
        let network = PhoneApprovers.network(of: signIn.page.address)
        try await record(.crossDeviceScanned, phone, id, signIn, origin: origin, at: now)
        return ScannedSignIn(
            browser: BrowserWords.browser(signIn.page.userAgent), system: BrowserWords.system(signIn.page.userAgent),
            network: network?.description, isSameNetwork: isNear(signIn),
            isKnownBrowser: try await isKnown(signIn.page, to: phone.subject, at: now),
            age: Int(max(0, (now - signIn.createdAt).inMilliseconds) / 1000), transaction: transaction,
            expiresIn: (signIn.endsAt() - now).roundedUpSeconds)
    }

    private func isKnown(_ page: PhoneSignIn.Page, to subject: Subject, at now: Timestamp) async throws -> Bool {
        guard let recognition = page.recognition, let account = try await accounts.account(of: subject) else {
            return false
        }
        // Whoever has everything ended because somebody else was in must not be told that they know that browser.
        return knownBrowsers.mark(of: account, in: Secret(recognition), at: now)?.isSinceLastEnd == true
    }

    /// The user says yes: digits to type at the computer.
    package func approve(
        _ id: String, transaction: String, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws -> ShownDigits {
        let phone = try await approvers.phone(of: bearer, isFresh: true, origin: origin, at: time.now())
        let digits = Secret(random.sixDigits())
        let (signIn, now, _) = try await step(id, phone, origin) { signIn, now throws(PhoneSignIn.Refusal) in
            try signIn.approved(by: phone, transaction: Secret(transaction), digits: digits, at: now)
        }
        try await record(.crossDeviceApproved, phone, id, signIn, origin: origin, at: now)
        return ShownDigits(digits: digits, expiresIn: (signIn.endsAt() - now).roundedUpSeconds)
    }

    /// The user says no.
    /// - Parameter isReport: whether another person must have begun it: an alarm, and the computer's address is kept
    ///   from beginning another for a quarter of an hour.
    package func deny(
        _ id: String, isReport: Bool, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws {
        let phone = try await approvers.phone(
            of: bearer, isFresh: false, for: .denial, origin: origin, at: time.now())
        let (signIn, now, isFirst) = try await step(id, phone, origin, isReport: isReport) {
            signIn, now throws(PhoneSignIn.Refusal) in
            try signIn.denied(by: phone, at: now)
        }
        if isFirst { try await record(.crossDeviceDenied, phone, id, signIn, origin: origin, at: now) }
        guard isReport else { return }
        try await log.block(signIn.page.address, at: now)
        try await record(.crossDeviceReported, phone, id, signIn, origin: origin, at: now)
        await remember(reportOf: id, at: now)
    }

    /// A report is one event, however often it is said. Noted after it, so that one that failed can be said again.
    private func remember(reportOf id: String, at now: Timestamp) async {
        // Where it cannot be noted down, saying it again makes one event more, and nothing is lost.
        guard let found = try? await records.find(id, at: now) else { return }
        _ = try? await records.replace(found, with: found.signIn.reported(), at: now)
    }

    /// Reads, decides, and writes if nothing has changed meanwhile; else once more.
    /// - Parameter isReport: whether a denial says as well that another person began it.
    /// - Returns: what was written, when, and whether it is news: a report may follow the denial that ended it.
    private func step(
        _ id: String, _ phone: ApprovingPhone, _ origin: RequestOrigin, isReport: Bool = false,
        _ decide: (PhoneSignIn, Timestamp) throws(PhoneSignIn.Refusal) -> PhoneSignIn
    ) async throws -> (PhoneSignIn, Timestamp, isFirst: Bool) {
        for _ in 0..<CrossDeviceRecords.attempts {
            let now = time.now()
            let found = PhoneSignInNames.isID(id) ? try await records.find(id, at: now) : nil
            do {
                guard let found else { throw PhoneSignIn.Refusal.gone }
                let next = try decide(found.signIn, now)
                guard try await records.replace(found, with: next, at: now) else { continue }
                let isFirst = try await records.counts(next, of: id)
                // The phone may have denied before it reported, or its report have failed after that, or the digits
                // have been wrong three times.
                let isOwed = isReport && found.signIn.mayYetBeReported
                guard isFirst || isOwed else { throw PhoneSignIn.Refusal.over }
                return (next, now, isFirst: isFirst)
            } catch let refusal as PhoneSignIn.Refusal {
                try await log.recordRefusal(refusal, of: phone, origin: origin, at: now)
                throw refusal.error
            }
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Says what the user did, with the computer's address as well as the phone's.
    private func record(
        _ type: AuditEventType, _ phone: ApprovingPhone, _ id: String, _ signIn: PhoneSignIn, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        let detail = PhoneSignInNames.auditDetail(of: id, computer: signIn.page.address)
        try await log.record(type, by: phone, detail: detail, origin: origin, at: now)
    }
}

extension PhoneSignIn.Refusal {
    fileprivate var error: OAuthError {
        switch self {
        case .gone: OAuthError(.notFound, "there is no such sign-in, or it is over", detail: rawValue)
        case .alreadyScanned: OAuthError(.alreadyScanned, "another phone has scanned this code", detail: rawValue)
        case .otherPhone: OAuthError(.accessDenied, "this sign-in is not this phone's", detail: rawValue)
        case .wrongTransaction: OAuthError(.accessDenied, "txn is not this scan's", detail: rawValue)
        case .otherNetwork:
            OAuthError(.accessDenied, "phone and computer must be in one network", detail: rawValue)
        case .over: OAuthError(.conflict, "this sign-in was decided before", detail: rawValue)
        }
    }
}
