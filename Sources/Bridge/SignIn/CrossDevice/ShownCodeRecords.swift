import Crypto
import OAuth2

/// The live code of one user.
struct ShownCode: Sendable {
    static let lifetime = Duration.seconds(60)
    /// After so many wrong ones it is gone.
    static let tries: Int64 = 3

    let phone: ApprovingPhone
    /// The network that the phone showed it from.
    let network: String?
    let digest: String
    /// Sealed with it: what the store says of its end, a writer of the store may have written.
    let shownAt: Timestamp
    var wrong: Int64

    var endsAt: Timestamp { shownAt + Self.lifetime }

    /// The name of this code among all of its user's.
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

/// Keeps the codes of ``ShownSignInCodes``, each under its user alone: many live ones do not help a guesser.
package final class ShownCodeRecords: Sendable {
    private let records: CrossDeviceRecords
    private let userKey: SymmetricKey

    package init(_ records: CrossDeviceRecords, master: MasterKey) {
        self.records = records
        userKey = master.derived("cross-device user")
    }

    /// New digits of the phone's user; those before are over.
    /// - Parameter network: that the phone shows them from.
    func put(_ digits: Secret<String>, of phone: ApprovingPhone, network: String?, at now: Timestamp) async throws {
        let content = ShownCode(
            phone: phone, network: network, digest: digest(digits.expose(), of: phone.subject), at: now
        ).text
        let key = key(of: phone.subject)
        let expiry = now + ShownCode.lifetime
        for _ in 0..<CrossDeviceRecords.attempts {
            if let found = try await records.find(key, at: now) {
                // Should the store lose the new one, the code before comes back, and is over all the same.
                if let before = ShownCode(found.content) { _ = try await end(before, under: key) }
                if try await records.replace(found, with: content, until: expiry, at: now) { return }
            } else if try await records.add(content, under: key, until: expiry, at: now) {
                return
            }
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// What typed digits come to.
    enum Taken {
        case right(ShownCode)
        case wrong
        /// The store has forgotten this attempt.
        case usedBefore
    }

    /// Uses a code up, or counts a wrong attempt.
    func take(_ digits: String, of subject: Subject, at now: Timestamp) async throws -> Taken {
        let key = key(of: subject)
        let typed = digest(digits, of: subject)
        for _ in 0..<CrossDeviceRecords.attempts {
            guard let found = try await records.find(key, at: now), var code = ShownCode(found.content),
                code.phone.subject == subject, code.wrong < ShownCode.tries, now < code.endsAt
            else {
                // Nearly as much work as a wrong code makes: a row of the database is missing, which visitors should
                // not be able to make for names that show no code. Ten attempts an hour tell little by that.
                try await records.replaceNothing(under: key, with: typed, at: now)
                return .wrong
            }
            let name = "\(code.name(under: key)) try \(code.wrong + 1)"
            let isRight = ConstantTime.equals(code.digest.utf8, typed.utf8)
            code.wrong = isRight ? ShownCode.tries : code.wrong + 1
            guard try await records.replace(found, with: code.text, until: code.endsAt, at: now) else { continue }
            // Should the store lose this, the attempt counts all the same. A right one ends the code as well: its
            // number may be another attempt's when the store is back to before it.
            guard try await records.useUp(name, madeAt: code.shownAt, lifetime: ShownCode.lifetime) else {
                return .usedBefore
            }
            guard isRight else { return .wrong }
            return try await end(code, under: key) ? .right(code) : .usedBefore
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Ends a code for good, whatever its store says later.
    /// - Returns: `true` for one caller only.
    private func end(_ code: ShownCode, under key: String) async throws -> Bool {
        try await records.useUp("\(code.name(under: key)) over", madeAt: code.shownAt, lifetime: ShownCode.lifetime)
    }

    private func key(of subject: Subject) -> String { "s:" + code(over: "user \(subject.rawValue)") }

    private func digest(_ digits: String, of subject: Subject) -> String {
        code(over: "digits \(subject.rawValue.utf8.count) \(subject.rawValue) \(digits)")
    }

    private func code(over text: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: userKey)))
    }
}
