import Crypto
import OAuth2

/// Keeps the states of ``PhoneSignIn``s: found by the id in the link of a computer's page, or by the page's eight
/// letters.
package final class PhoneSignInRecords: Sendable {
    private let records: CrossDeviceRecords
    /// Hides the eight letters, of which there are few enough to try all.
    private let codeKey: SymmetricKey
    private let transactionKey: SymmetricKey

    package init(_ records: CrossDeviceRecords, master: MasterKey) {
        self.records = records
        codeKey = master.derived("cross-device code")
        transactionKey = master.derived("cross-device transaction")
    }

    /// One of them, as it was read.
    struct Found: Sendable {
        let signIn: PhoneSignIn
        fileprivate let record: CrossDeviceRecords.Found

        var version: Int64 { record.version }
    }

    /// - Returns: `false` when another page has these letters.
    func add(_ signIn: PhoneSignIn, named names: PhoneSignInNames, at now: Timestamp) async throws -> Bool {
        let expiry = now + PhoneSignIn.lifetime
        guard
            try await records.add(
                Array(names.id.utf8), under: key(ofCode: names.userCode), until: expiry, at: now)
        else { return false }
        return try await records.add(signIn.text, under: PhoneSignInNames.key(of: names.id), until: expiry, at: now)
    }

    func find(_ id: String, at now: Timestamp) async throws -> Found? {
        guard let record = try await records.find(PhoneSignInNames.key(of: id), at: now),
            let signIn = PhoneSignIn(record.content)
        else { return nil }
        return Found(signIn: signIn, record: record)
    }

    /// The id of the one whose page shows these letters.
    func id(ofCode code: DeviceUserCode, at now: Timestamp) async throws -> String? {
        try await records.find(key(ofCode: code), at: now).map { String(decoding: $0.content, as: UTF8.self) }
    }

    /// Names what one phone scanned. The phone whose answer was lost may scan again, and gets the same, on every node.
    /// - Parameter id: one of ours.
    func transaction(of id: String, for phone: ApprovingPhone) -> Secret<String> {
        let subject = phone.subject.rawValue
        let text = "\(id) \(subject.utf8.count) \(subject) \(phone.sessionID.rawValue)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: transactionKey)
        return Secret(Base64URL.encode(Array(code.prefix(16))))
    }

    /// - Returns: `false` when it has changed since it was found.
    func replace(_ found: Found, with next: PhoneSignIn, at now: Timestamp) async throws -> Bool {
        try await records.replace(found.record, with: next.text, at: now)
    }

    /// Ends one whose browser shows another page now. Once a phone has scanned it, its record stays: its user may yet
    /// decline, or report who began it, whatever that one does.
    func withdraw(_ names: PhoneSignInNames, at now: Timestamp) async throws {
        try await records.remove(key(ofCode: names.userCode))
        for _ in 0..<CrossDeviceRecords.attempts {
            guard let found = try await find(names.id, at: now), let next = found.signIn.withdrawn(at: now) else {
                return
            }
            // Over on every node, also on one whose clock is behind this one's.
            let end = next.phone == nil ? next.createdAt : nil
            if try await records.replace(found.record, with: next.text, until: end, at: now) { return }
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Whether what was written counts, whatever the store forgets later.
    /// - Returns: `false` for the end of one that had ended before.
    func counts(_ next: PhoneSignIn, of id: String) async throws -> Bool {
        if next.stored.isOpen { return true }
        return try await records.useUp(
            PhoneSignInNames.key(of: id), madeAt: next.createdAt, lifetime: PhoneSignIn.lifetime)
    }

    /// Whether one attempt at the digits counts, whichever they were: bringing the record back buys no more attempts.
    func countsTry(of before: PhoneSignIn, _ id: String) async throws -> Bool {
        try await records.useUp(
            "\(PhoneSignInNames.key(of: id)) try \(before.wrong + 1)", madeAt: before.createdAt,
            lifetime: PhoneSignIn.lifetime)
    }

    private func key(ofCode code: DeviceUserCode) -> String { "c:" + code.digest(codeKey) }
}
