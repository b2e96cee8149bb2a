import Crypto
import OAuth2

/// Knows browsers in which an account's user signed in before, by a cookie of theirs ("device cookies", OWASP).
///
/// Guesses are limited for each account. Without a difference between browsers, anyone could keep its owner out by
/// guessing all day. A browser that has signed in before is counted apart, so strangers' guesses do not hold it back,
/// and its own do not hold back others.
///
/// The cookie opens nothing. It holds, for each of a few accounts, a random mark, an instant, and a code over both and
/// the account's subject, which outlives a change of its name, and is no other account's when the name is given again.
/// Nothing is stored, and no name can be read from it.
package struct KnownBrowsers: Sendable {
    /// How long a browser is known after its last sign-in.
    package static let lifetime = Duration.seconds(180 * 86_400)
    /// Accounts that one browser may have, the latest first: a family's computer.
    private static let limit = 4
    private static let markLength = 16
    private static let timeLength = 8
    private static let codeLength = 32

    private let key: SymmetricKey
    private let random: RandomSource

    package init(master: MasterKey, random: RandomSource = .system) {
        key = master.derived("known browser")
        self.random = random
    }

    /// The mark that tells this browser from others that are known for the account.
    /// - Parameter cookie: as the browser sent it.
    /// - Returns: `nil` for a browser that is not known for it.
    func mark(of subject: Subject, in cookie: Secret<String>?, at now: Timestamp) -> String? {
        for entry in entries(of: cookie) {
            let bound = Array(entry.prefix(Self.markLength + Self.timeLength))
            guard ConstantTime.equals(Array(entry.suffix(Self.codeLength)), code(over: bound, subject)) else {
                continue
            }
            let seconds = bound.suffix(Self.timeLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let signedInAt = Timestamp(seconds: Int64(clamping: seconds))
            guard now < signedInAt + Self.lifetime else { return nil }
            return Base64URL.encode(Array(bound.prefix(Self.markLength)))
        }
        return nil
    }

    /// The cookie of a browser in which the account's user has just signed in.
    /// - Parameter cookie: what it had before.
    func cookie(knowing subject: Subject, besides cookie: Secret<String>?, at now: Timestamp) -> Secret<String> {
        let seconds = UInt64(clamping: now.seconds)
        let time = (0..<Self.timeLength).map { UInt8(truncatingIfNeeded: seconds >> UInt64(56 - 8 * $0)) }
        let bound = random.bytes(Self.markLength) + time
        let others = entries(of: cookie).filter { entry in
            let bound = Array(entry.prefix(Self.markLength + Self.timeLength))
            return !ConstantTime.equals(Array(entry.suffix(Self.codeLength)), code(over: bound, subject))
        }
        let all = [bound + code(over: bound, subject)] + others.prefix(Self.limit - 1)
        return Secret(all.map { Base64URL.encode($0) }.joined(separator: "."))
    }

    /// The well-formed entries of a cookie, at most ``limit``.
    private func entries(of cookie: Secret<String>?) -> [[UInt8]] {
        guard let text = cookie?.expose(), text.utf8.count <= 512 else { return [] }
        return text.split(separator: ".").prefix(Self.limit).compactMap { part in
            Base64URL.decode(part).flatMap {
                $0.count == Self.markLength + Self.timeLength + Self.codeLength ? $0 : nil
            }
        }
    }

    private func code(over bound: [UInt8], _ subject: Subject) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bound + Array(subject.rawValue.utf8), using: key))
    }
}
