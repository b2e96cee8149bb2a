import Crypto
import OAuth2

/// Digits that a phone shows and a computer's user types beside the user name, where nothing can be scanned (contract §9).
///
/// A code is looked up under its user alone, so many live codes help nobody who guesses; three wrong tries and it is
/// gone. An unknown user, no code and a wrong one are one answer.
package final class ShownSignInCodes: Sendable {
    private static let lifetime = Duration.seconds(60)
    private static let tries = 3

    private let signIns: PhoneSignIns
    private let userKey: SymmetricKey

    package init(_ signIns: PhoneSignIns, master: MasterKey) {
        self.signIns = signIns
        userKey = master.derived("cross-device user")
    }

    package enum Outcome: Sendable {
        case signedIn(OpenedSession)
        case refused
        case limited(retryAfter: Duration)
    }

    /// The live code of one user.
    private struct Code {
        let phone: ApprovingPhone
        /// The network that the phone showed it from.
        let network: String?
        let digest: String
        /// Sealed with it: what the store says of its end, a writer of the store may have written.
        let shownAt: Timestamp
        var wrong: Int64

        var endsAt: Timestamp { shownAt + ShownSignInCodes.lifetime }

        /// Of this one among all of its user's.
        func name(under key: String) -> String { "\(key) \(digest) \(shownAt.milliseconds)" }

        var text: [UInt8] {
            var json = JSONObjectWriter()
            phone.add(to: &json)
            json.add("network", network)
            json.add("digits", digest)
            json.add("shown_at", shownAt.milliseconds)
            json.add("wrong", wrong)
            return json.finish()
        }

        init(phone: ApprovingPhone, network: String?, digest: String, at now: Timestamp) {
            self.phone = phone
            self.network = network
            self.digest = digest
            shownAt = now
            wrong = 0
        }

        init?(_ text: [UInt8]) {
            guard let members = JSONValue.parse(bytes: text)?.object, let phone = ApprovingPhone(members),
                let digest = members["digits"]?.string, let shownAt = members["shown_at"]?.integer,
                let wrong = members["wrong"]?.integer
            else { return nil }
            self.phone = phone
            network = members["network"]?.string
            self.digest = digest
            self.shownAt = Timestamp(milliseconds: shownAt)
            self.wrong = wrong
        }
    }

    /// New digits for the bearer's user; those before are gone.
    package func show(bearer: BearerIdentity, origin: RequestOrigin) async throws -> ShownDigits {
        let now = signIns.time.now()
        let phone = try await signIns.approvers.phone(of: bearer, isFresh: true, origin: origin, at: now)
        let digits = Secret(signIns.random.sixDigits())
        let content = Code(
            phone: phone, network: PhoneSignIns.network(of: origin.address)?.description,
            digest: digest(digits.expose(), of: phone.subject), at: now
        ).text
        let key = key(of: phone.subject)
        for _ in 0..<PhoneSignIns.attempts {
            if let found = try await signIns.records.find(key, at: now) {
                // Should the store lose the new one, the code before comes back, and is over all the same.
                if let before = Code(found.content) { _ = try await end(before, under: key) }
                guard
                    try await signIns.records.replace(found, with: content, until: now + Self.lifetime, at: now)
                else { continue }
            } else {
                guard try await signIns.records.add(content, under: key, until: now + Self.lifetime, at: now) else {
                    continue
                }
            }
            try await signIns.audit.append([
                AuditEvent(
                    at: now, type: .crossDeviceCodeShown, outcome: .success, subject: phone.subject,
                    clientID: phone.clientID, sessionID: phone.sessionID, origin: origin)
            ])
            return ShownDigits(digits: digits, expiresIn: Self.lifetime.roundedUpSeconds)
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Signs a browser in by a user's live code.
    /// - Parameter current: the browser's session, which the new one takes the place of.
    package func use(
        _ typed: String, of username: String, replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = signIns.time.now()
        if let wait = try await signIns.blocked(origin, at: now) { return .limited(retryAfter: wait) }
        let username = Username(username)
        let keys = signIns.limits.shownCodeKeys(username, origin: origin)
        if let wait = try await told(signIns.limiter.peek(keys, at: now), origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        let account: Account? =
            if let username { try await signIns.accounts.account(named: username) } else { nil }
        // Nobody's subject: the store is asked all the same.
        let subject = account?.subject ?? Subject(rawValue: "nobody \(username?.key ?? "")")
        let digits = String(decoding: typed.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        let code: Code
        switch try await take(digits, of: subject, at: now) {
        case .right(let taken): code = taken
        case .wrong: return try await refuse("wrong_code", account?.subject, keys, origin: origin, at: now)
        case .usedBefore: return try await refuse("used_before", account?.subject, keys, origin: origin, at: now)
        }
        let phone = code.phone
        let network = PhoneSignIns.network(of: origin.address)?.description
        guard !signIns.requiresSameNetwork || network != nil && network == code.network else {
            return try await refuse("other_network", phone.subject, keys, origin: origin, at: now)
        }
        guard let opened = try await signIns.open(for: phone, replacing: current, origin: origin, at: now) else {
            return try await refuse("session_ended", phone.subject, keys, origin: origin, at: now)
        }
        return .signedIn(opened)
    }

    private enum Taken {
        case right(Code)
        case wrong
        /// The store has forgotten this try.
        case usedBefore
    }

    /// Uses a code up, or counts a wrong try.
    private func take(_ digits: String, of subject: Subject, at now: Timestamp) async throws -> Taken {
        let key = key(of: subject)
        let typed = digest(digits, of: subject)
        for _ in 0..<PhoneSignIns.attempts {
            guard let found = try await signIns.records.find(key, at: now), var code = Code(found.content),
                code.phone.subject == subject, code.wrong < Self.tries, now < code.endsAt
            else {
                // Nearly as much work as a wrong code makes: a row of the database is missing, which visitors should not be
                // able to make for names that show no code. Ten tries an hour tell little by that.
                _ = try await signIns.records.store.replaceCrossDevice(
                    with: CrossDeviceRecord(key: key, version: .max, content: typed, expiresAt: now), at: now)
                return .wrong
            }
            let name = "\(code.name(under: key)) try \(code.wrong + 1)"
            let isRight = ConstantTime.equals(Array(code.digest.utf8), Array(typed.utf8))
            code.wrong = isRight ? Int64(Self.tries) : code.wrong + 1
            guard try await signIns.records.replace(found, with: code.text, until: code.endsAt, at: now) else {
                continue
            }
            // Should the store lose this, the try counts all the same (``PhoneSignIns/useUp(_:madeAt:lifetime:)``). A right
            // one ends the code as well: its try may be another's number when the store is back to before it.
            guard try await signIns.useUp(name, madeAt: code.shownAt, lifetime: Self.lifetime) else {
                return .usedBefore
            }
            guard isRight else { return .wrong }
            return try await end(code, under: key) ? .right(code) : .usedBefore
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Ends a code for good, whatever its store says later.
    /// - Returns: `true` for one caller only.
    private func end(_ code: Code, under key: String) async throws -> Bool {
        try await signIns.useUp("\(code.name(under: key)) over", madeAt: code.shownAt, lifetime: Self.lifetime)
    }

    private func refuse(
        _ reason: String, _ subject: Subject?, _ keys: [RateLimitKey], origin: RequestOrigin, at now: Timestamp
    ) async throws -> Outcome {
        if let wait = try await told(signIns.limiter.take(keys, at: now), origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        try await signIns.refusals.record(
            AuditEvent(
                at: now, type: .crossDeviceRefused, outcome: .failure, reason: reason, subject: subject,
                origin: origin))
        return .refused
    }

    private func told(
        _ decision: RateLimitDecision, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        guard case .exceeded(let wait, let scope) = decision else { return nil }
        try await signIns.refusals.limitExceeded(scope: scope, origin: origin, at: now)
        return wait
    }

    private func key(of subject: Subject) -> String { "s:" + code(over: "user \(subject.rawValue)") }

    private func digest(_ digits: String, of subject: Subject) -> String {
        code(over: "digits \(subject.rawValue.utf8.count) \(subject.rawValue) \(digits)")
    }

    private func code(over text: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: userKey)))
    }
}
