package import OAuth2
import Synchronization

/// A sign-in by phone that waits for its answer. Kept by ``digest(of:)`` its `state`.
package struct SelfIssuedTransaction: Hashable, Sendable {
    package let nonce: String
    /// What the sign-in is for; comes back with the answer.
    package let errand: String
    /// Who wants to link the key that answers; `nil` for a sign-in.
    package let linking: Subject?
    /// The digest of the asking browser's cookie: no other browser may go on.
    package let browserDigest: String
    /// From then on no answer is taken from another device: a code that was sent to a victim is soon worth nothing.
    package let codeEndsAt: Timestamp
    package let expiresAt: Timestamp
    /// What a phone answered from another device, where the browser has yet to pick it up.
    package var answer: SelfIssuedProof?
    /// ``Account/lastEnd`` of the answering key's user by then. `nil` as well where a node of the version before took
    /// the answer in.
    package var answeredAfter: Timestamp?

    package init(
        nonce: String, errand: String, linking: Subject?, browserDigest: String, codeEndsAt: Timestamp,
        expiresAt: Timestamp, answer: SelfIssuedProof? = nil, answeredAfter: Timestamp? = nil
    ) {
        self.nonce = nonce
        self.errand = errand
        self.linking = linking
        self.browserDigest = browserDigest
        self.codeEndsAt = codeEndsAt
        self.expiresAt = expiresAt
        self.answer = answer
        self.answeredAfter = answeredAfter
    }

    /// What stores know a transaction by.
    static func digest(of state: String) -> String {
        SHA256Hash(of: state).base64URL
    }

    /// Sealed before it is kept.
    var text: String {
        var object: [String: JSONValue] = [
            "nonce": .string(nonce), "errand": .string(errand), "browser": .string(browserDigest),
            "code_ends_at": .number(String(codeEndsAt.milliseconds)),
            "expires_at": .number(String(expiresAt.milliseconds)),
        ]
        object["linking"] = linking.map { .string($0.rawValue) }
        object["answer"] = answer?.json
        object["answered_after"] = answeredAfter.map { .number(String($0.milliseconds)) }
        return JSONValue.object(object).text
    }

    init?(_ text: [UInt8]) {
        guard let object = JSONValue.parse(text)?.object, let nonce = object["nonce"]?.string,
            let errand = object["errand"]?.string, let browser = object["browser"]?.string,
            let codeEnd = object["code_ends_at"]?.integer, let end = object["expires_at"]?.integer
        else { return nil }
        let answer = object["answer"].flatMap { SelfIssuedProof($0) }
        guard (object["answer"] == nil) == (answer == nil) else { return nil }
        self.init(
            nonce: nonce, errand: errand, linking: object["linking"]?.string.map(Subject.init(rawValue:)),
            browserDigest: browser, codeEndsAt: Timestamp(milliseconds: codeEnd),
            expiresAt: Timestamp(milliseconds: end), answer: answer,
            answeredAfter: object["answered_after"]?.integer.map(Timestamp.init(milliseconds:)))
    }
}

/// Possession of a key, as an ID token has proven it.
package struct SelfIssuedProof: Hashable, Sendable {
    package let thumbprint: String
    package let algorithm: SignatureAlgorithm
    package let form: SelfIssuedForm
    /// Whether any app may have taken the request that it answers, where only one should have.
    package let isOfAnyApp: Bool
    /// What the holder calls themselves; unverified.
    package let name: String?
    package let email: String?

    init(
        thumbprint: String, algorithm: SignatureAlgorithm, form: SelfIssuedForm, isOfAnyApp: Bool, name: String?,
        email: String?
    ) {
        self.thumbprint = thumbprint
        self.algorithm = algorithm
        self.form = form
        self.isOfAnyApp = isOfAnyApp
        self.name = name
        self.email = email
    }

    /// - Parameter claims: those that the request asked for; no others are kept.
    init(_ token: SelfIssuedToken, isOfAnyApp: Bool, asking claims: [String]) {
        func told(_ name: String) -> String? {
            guard claims.contains(name), let text = token.told[name]?.string, !text.isEmpty, text.utf8.count <= 1024,
                text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && $0 != "\u{FFFD}" })
            else { return nil }
            return text
        }
        self.init(
            thumbprint: token.thumbprint, algorithm: token.algorithm, form: token.form, isOfAnyApp: isOfAnyApp,
            name: told("name"), email: told("email"))
    }

    var json: JSONValue {
        var object: [String: JSONValue] = [
            "thumbprint": .string(thumbprint), "alg": .string(algorithm.rawValue), "form": .string(form.rawValue),
            "any_app": .bool(isOfAnyApp),
        ]
        object["name"] = name.map(JSONValue.string)
        object["email"] = email.map(JSONValue.string)
        return .object(object)
    }

    /// What stands for it in the form of a page that shows it.
    package var digest: String { SHA256Hash(of: json.text).base64URL }

    /// Whether a form is of a page that showed this very proof: the key, and what the phone told with it.
    package func isShown(as digest: String) -> Bool { ConstantTime.equals(self.digest.utf8, digest.utf8) }

    init?(_ json: JSONValue) {
        guard let object = json.object, let thumbprint = object["thumbprint"]?.string,
            let algorithm = object["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)),
            let form = object["form"]?.string.flatMap(SelfIssuedForm.init(rawValue:)),
            let isOfAnyApp = object["any_app"]?.bool
        else { return nil }
        self.init(
            thumbprint: thumbprint, algorithm: algorithm, form: form, isOfAnyApp: isOfAnyApp,
            name: object["name"]?.string, email: object["email"]?.string)
    }
}

/// A transaction as a store keeps it: sealed, so that a store's reader learns nothing of it, and a writer can make
/// none.
package struct SelfIssuedRecord: Hashable, Sendable {
    package let content: String
    package let expiresAt: Timestamp

    package init(content: String, expiresAt: Timestamp) {
        self.content = content
        self.expiresAt = expiresAt
    }

    /// The form in which a store keeps it.
    package var text: String { "\(expiresAt.milliseconds) \(content)" }

    /// - Returns: `nil` for what is not a record; that is as good as gone.
    package init?(kept text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let end = Int64(parts[0]) else { return nil }
        self.init(content: String(parts[1]), expiresAt: Timestamp(milliseconds: end))
    }
}

/// The sign-ins that wait for a phone, each under its `state`, sealed to it.
struct SelfIssuedTransactions: Sendable {
    let store: any SelfIssuedTransactionStore
    let seal: ShortLivedSeal

    /// Keeps a transaction until its end; nothing is kept under its `state` yet.
    func keep(_ transaction: SelfIssuedTransaction, as state: String, at now: Timestamp) async throws {
        let digest = SelfIssuedTransaction.digest(of: state)
        try await store.keepSelfIssued(try sealed(transaction, digest, at: now), as: digest, at: now)
    }

    /// Puts a transaction in the place of the one that waits under its `state`.
    /// - Returns: `false` where none waits any more, or that one would end sooner; then all stays as it is.
    func replace(with transaction: SelfIssuedTransaction, as state: String, at now: Timestamp) async throws -> Bool {
        let digest = SelfIssuedTransaction.digest(of: state)
        return try await store.replaceSelfIssued(with: try sealed(transaction, digest, at: now), as: digest, at: now)
    }

    /// Removes a transaction and gives it to one caller; `nil` to every other, past its end, and for what we never
    /// kept.
    func take(_ state: String, at now: Timestamp) async throws -> SelfIssuedTransaction? {
        let digest = SelfIssuedTransaction.digest(of: state)
        return open(try await store.takeSelfIssued(digest, at: now), digest, at: now)
    }

    /// Looks at a transaction; `nil` past its end, and for what we never kept.
    func look(_ state: String, at now: Timestamp) async throws -> SelfIssuedTransaction? {
        let digest = SelfIssuedTransaction.digest(of: state)
        return open(try await store.selfIssued(digest, at: now), digest, at: now)
    }

    private func sealed(
        _ transaction: SelfIssuedTransaction, _ digest: String, at now: Timestamp
    ) throws -> SelfIssuedRecord {
        // One more second: the seal counts in whole ones, and the transaction's own end is what decides.
        let content = try seal.seal(
            Array(transaction.text.utf8), binding: digest, lifetime: transaction.expiresAt - now + .seconds(1))
        return SelfIssuedRecord(content: content, expiresAt: transaction.expiresAt)
    }

    private func open(_ record: SelfIssuedRecord?, _ digest: String, at now: Timestamp) -> SelfIssuedTransaction? {
        guard let record, let text = seal.open(record.content, binding: digest),
            let transaction = SelfIssuedTransaction(text), now < transaction.expiresAt
        else { return nil }
        return transaction
    }
}

/// Where transactions wait. Each is taken once, whatever becomes of it then.
package protocol SelfIssuedTransactionStore: Sendable {
    /// Keeps a transaction until its end.
    /// - Parameter digest: its state's, under which nothing is kept yet.
    func keepSelfIssued(_ record: SelfIssuedRecord, as digest: String, at now: Timestamp) async throws

    /// Puts a transaction in the place of the one that waits under the same digest, in one step: what was taken
    /// meanwhile is not brought back.
    /// - Returns: `false` where none waits, or where that one would end sooner than the new one; then all stays as it
    ///   is.
    func replaceSelfIssued(
        with record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws -> Bool

    /// Removes a transaction and gives it to one caller; `nil` to every other, and past its end.
    func takeSelfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord?

    /// Looks at a transaction; `nil` past its end.
    func selfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord?
}

/// The transactions of a single process.
package final class InProcessSelfIssuedTransactions: SelfIssuedTransactionStore {
    /// Transactions at once, of some 700 bytes each, and of 12 KB at most.
    private static let capacity = 10_000

    private let state = Mutex(State())

    private struct State {
        var kept: [String: SelfIssuedRecord] = [:]
        var sweptAt: Timestamp?

        /// Once a second: a full table must not cost a sweep for every transaction. A clock that was set back is none
        /// to wait for.
        func isSweepDue(at now: Timestamp) -> Bool {
            guard let sweptAt else { return true }
            return now < sweptAt || sweptAt + .seconds(1) <= now
        }
    }

    package init() {}

    package func keepSelfIssued(
        _ record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) throws {
        try state.withLock { state in
            if state.kept.count >= Self.capacity, state.isSweepDue(at: now) {
                state.kept = state.kept.filter { now < $1.expiresAt }
                state.sweptAt = now
            }
            guard state.kept.count < Self.capacity else {
                throw StorageError.unavailable("too many sign-ins by phone wait")
            }
            state.kept[digest] = record
        }
    }

    package func replaceSelfIssued(with record: SelfIssuedRecord, as digest: String, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard let old = state.kept[digest], now < old.expiresAt, record.expiresAt <= old.expiresAt else {
                return false
            }
            state.kept[digest] = record
            return true
        }
    }

    package func takeSelfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        state.withLock { $0.kept.removeValue(forKey: digest) }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    package func selfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        state.withLock { $0.kept[digest] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }
}
