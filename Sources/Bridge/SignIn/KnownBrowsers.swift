import Crypto
import OAuth2

/// Knows browsers in which an account's user signed in before, by a cookie of theirs ("device cookies", OWASP).
///
/// Guesses are limited for each account. Without a difference between browsers, anyone could keep its owner out by
/// guessing all day. A browser that has signed in before is counted apart, so strangers' guesses do not hold it back.
///
/// The cookie opens nothing. It holds, for each of a few accounts, a random mark, an instant, and a code over both, the
/// account's subject, which outlives a change of its name and is no other account's when the name is given again, and
/// what the account's row says of its password and its second factor. Once the row says something else, the browser is
/// a stranger's: whoever signed in with a password that is changed by now must not be taken for the owner (ADR-0016). A
/// second code stands over the last end of everything. An end makes nobody a stranger, since a thief's session may ask
/// for one too; it takes what two factors are worth. Nothing is stored, and no name can be read from it.
package struct KnownBrowsers: Sendable {
    /// How long a browser is known after its last sign-in.
    package static let lifetime = Duration.seconds(180 * 86_400)
    /// Accounts that one browser may have, the latest first: a family's computer.
    private static let limit = 4

    private let key: SymmetricKey
    private let ownerKey: SymmetricKey
    private let endKey: SymmetricKey
    private let random: RandomSource

    package init(master: MasterKey, random: RandomSource = .system) {
        key = master.derived("known browser")
        ownerKey = master.derived("known browser's account")
        endKey = master.derived("known browser's last end")
        self.random = random
    }

    /// How a browser is known for an account.
    struct Mark: Hashable, Sendable {
        /// Tells it from others that are known for the account.
        let name: String
        /// Whether nothing has ended all that could sign the user in since.
        let isSinceLastEnd: Bool
        /// Whether two factors were shown in it, and not the password alone, since that end.
        let isOfTwoFactors: Bool
    }

    /// By which mark this browser is known for an account.
    /// - Parameters:
    ///   - account: as its row is now.
    ///   - cookie: as the browser sent it.
    /// - Returns: `nil` for a browser that is not known for it.
    func mark(of account: Account, in cookie: Secret<String>?, at now: Timestamp) -> Mark? {
        for entry in entries(of: cookie) where ConstantTime.equals(bytes: entry.code, code(of: entry, account)) {
            guard now < entry.signedInAt + Self.lifetime else { return nil }
            let isSinceLastEnd = ConstantTime.equals(bytes: entry.endCode, endCode(of: entry, account))
            return Mark(
                name: Base64URL.encode(entry.mark), isSinceLastEnd: isSinceLastEnd,
                isOfTwoFactors: isSinceLastEnd && entry.showsTwoFactors)
        }
        return nil
    }

    /// The cookie of a browser in which the account's user has just signed in.
    /// - Parameters:
    ///   - account: as its row was when the sign-in was looked at. An older one makes a stranger of the browser.
    ///   - isOfTwoFactors: whether the second factor was shown too, or a passkey, which stands for both.
    ///   - cookie: what it had before.
    func cookie(
        knowing account: Account, isOfTwoFactors: Bool, besides cookie: Secret<String>?, at now: Timestamp
    ) -> Secret<String> {
        var entry = KnownBrowserEntry(
            mark: random.bytes(KnownBrowserEntry.markLength), signedInAt: now, showsTwoFactors: isOfTwoFactors)
        entry.owner = owner(of: entry, account.subject)
        entry.code = code(of: entry, account)
        entry.endCode = endCode(of: entry, account)
        // Those of the same account go, by whatever its row said at the time: they must not push others out.
        let others = entries(of: cookie).filter {
            !ConstantTime.equals(bytes: $0.owner, owner(of: $0, account.subject))
        }
        let all = [entry] + others.prefix(Self.limit - 1)
        return Secret(all.map { Base64URL.encode($0.bytes) }.joined(separator: "."))
    }

    /// The cookie of a browser in which the user has just changed what it is known under: their own change makes no
    /// stranger of it.
    /// - Parameters:
    ///   - before: the account as it was when the change was looked at.
    ///   - after: as it is by the change, and by nothing else.
    ///   - showsFactor: whether the user has shown the second factor with the change. What was shown before it counts
    ///     no more: an end that came in between is not in `before`.
    ///   - cookie: what it had before.
    /// - Returns: `nil` for a browser that was not known before.
    func cookie(
        knowing after: Account, knownBefore before: Account, showsFactor: Bool = false, in cookie: Secret<String>?,
        at now: Timestamp
    ) -> Secret<String>? {
        guard mark(of: before, in: cookie, at: now) != nil else { return nil }
        return self.cookie(knowing: after, isOfTwoFactors: showsFactor, besides: cookie, at: now)
    }

    /// The well-formed entries of a cookie, at most ``limit``.
    private func entries(of cookie: Secret<String>?) -> [KnownBrowserEntry] {
        guard let text = cookie?.expose(), text.utf8.count <= 512 else { return [] }
        return text.split(separator: ".").prefix(Self.limit).compactMap { part in
            Base64URL.decode(part).flatMap { KnownBrowserEntry($0) }
        }
    }

    private func code(of entry: KnownBrowserEntry, _ account: Account) -> [UInt8] {
        // Everything ahead of the subject has one length, so no two accounts' texts run into each other.
        let text = entry.head + entry.owner + account.grounds + Array(account.subject.rawValue.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: key))
    }

    private func endCode(of entry: KnownBrowserEntry, _ account: Account) -> [UInt8] {
        let text =
            entry.head + entry.owner + account.lastEnd.milliseconds.bigEndianBytes
            + Array(account.subject.rawValue.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: endKey).prefix(KnownBrowserEntry.endCodeLength))
    }

    /// Whose an entry is, for nobody without the key; another text in each cookie.
    private func owner(of entry: KnownBrowserEntry, _ subject: Subject) -> [UInt8] {
        let text = entry.head + Array(subject.rawValue.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: ownerKey).prefix(KnownBrowserEntry.ownerLength))
    }
}

/// One account's part of a cookie.
private struct KnownBrowserEntry {
    static let markLength = 16
    static let ownerLength = 16
    private static let timeLength = 8
    private static let headLength = markLength + timeLength + 1
    private static let codeLength = 32
    static let endCodeLength = 16
    private static let length = headLength + ownerLength + codeLength + endCodeLength

    /// The mark, the instant, and whether two factors were shown.
    let head: [UInt8]
    var owner: [UInt8] = []
    /// Over everything before it, and what the account's row said then of password and factor.
    var code: [UInt8] = []
    /// Over head and owner, and the last end that the account's row told of then.
    var endCode: [UInt8] = []

    init(mark: [UInt8], signedInAt: Timestamp, showsTwoFactors: Bool) {
        head = mark + signedInAt.seconds.bigEndianBytes + [showsTwoFactors ? 1 : 0]
    }

    /// - Returns: `nil` for bytes of another length, such as those of a version that did not know of the account's row.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        head = Array(bytes.prefix(Self.headLength))
        owner = Array(bytes.dropFirst(Self.headLength).prefix(Self.ownerLength))
        code = Array(bytes.dropFirst(Self.headLength + Self.ownerLength).prefix(Self.codeLength))
        endCode = Array(bytes.suffix(Self.endCodeLength))
    }

    var bytes: [UInt8] { head + owner + code + endCode }
    var mark: [UInt8] { Array(head.prefix(Self.markLength)) }
    var showsTwoFactors: Bool { head.last == 1 }

    var signedInAt: Timestamp {
        let time = head.dropFirst(Self.markLength).prefix(Self.timeLength)
        return Timestamp(seconds: Int64(bitPattern: time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }
}

extension Account {
    /// What a browser is known under besides the subject. These are the row's values, whichever clock they came from:
    /// all nodes read the same, and nothing is compared with the time of a sign-in. A factor is sealed anew whenever it
    /// is set up, so its text is no other's.
    fileprivate var grounds: [UInt8] {
        let factor = SHA256.hash(data: Array((secondFactor?.sealedSecret ?? "").utf8))
        return passwordChangedAt.milliseconds.bigEndianBytes + Array(factor)
    }
}

extension Int64 {
    /// Eight bytes, the highest first.
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bitPattern: self) >> UInt64(56 - 8 * $0)) }
    }
}
