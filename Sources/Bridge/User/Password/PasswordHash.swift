import Crypto
import CryptoExtras
import Foundation
import OAuth2

/// A salted scrypt hash of a password with its cost, as text `$scrypt$ln=14,r=8,p=5$<salt>$<hash>` (PHC format).
package struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
    package let cost: PasswordCost
    private let salt: [UInt8]
    private let output: [UInt8]

    private static let length = 32

    /// Hashes a password; takes as long as the cost says, so never call it on a thread that serves requests.
    package init(_ password: Secret<String>, cost: PasswordCost, random: RandomSource) throws {
        salt = random.bytes(16)
        self.cost = cost
        output = try Self.derive(password, salt: salt, cost: cost)
    }

    /// What no password has: random bytes instead of a hash, which costs a start nothing. To compare with it takes as
    /// long as with any other.
    init(ofNothingAt cost: PasswordCost, random: RandomSource) {
        self.cost = cost
        salt = random.bytes(16)
        output = random.bytes(Self.length)
    }

    /// Reads the text form.
    /// - Returns: `nil` for anything that ``text`` would not have written.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]),
            let salt = Base64URL.decode(parts[3]), salt.count >= 8,
            let output = Base64URL.decode(parts[4]), output.count == Self.length
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.output = output
    }

    /// What stores keep.
    package var text: String {
        let parameters = "ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)"
        return "$scrypt$\(parameters)$\(Base64URL.encode(salt))$\(Base64URL.encode(output))"
    }

    /// Whether it is the password's hash; takes as long as making it did.
    package func matches(_ password: Secret<String>) throws -> Bool {
        ConstantTime.equals(try Self.derive(password, salt: salt, cost: cost), output)
    }

    /// Not the hash itself: it can be attacked offline.
    package var description: String { "PasswordHash(<redacted>)" }

    private static func derive(_ password: Secret<String>, salt: [UInt8], cost: PasswordCost) throws -> [UInt8] {
        // One password however its accents were typed (RFC 8265 §4.2.2).
        let bytes = Array(password.expose().precomposedStringWithCanonicalMapping.utf8)
        let key = try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: length, rounds: 1 << cost.logarithm, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    private static func cost(_ text: Substring) -> PasswordCost? {
        let values = text.split(separator: ",", omittingEmptySubsequences: false)
        guard values.count == 3 else { return nil }
        func number(_ index: Int, _ name: String) -> Int? {
            values[index].hasPrefix("\(name)=") ? Int(values[index].dropFirst(name.count + 1)) : nil
        }
        guard let logarithm = number(0, "ln"), let blockSize = number(1, "r"), let parallelism = number(2, "p") else {
            return nil
        }
        return PasswordCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }
}

/// What one password hash costs: scrypt's parameters (RFC 7914 §2).
package struct PasswordCost: Hashable, Sendable {
    /// Base-2 logarithm of N.
    package let logarithm: Int
    /// r.
    package let blockSize: Int
    /// p.
    package let parallelism: Int

    /// - Returns: `nil` outside the range that this server computes: a stored hash must not be able to ask for more
    ///   memory or time than an operator would ever configure.
    package init?(logarithm: Int, blockSize: Int = 8, parallelism: Int) {
        guard (10...20).contains(logarithm), (1...16).contains(blockSize), (1...16).contains(parallelism) else {
            return nil
        }
        self.init(checked: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private init(checked logarithm: Int, blockSize: Int, parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// 16 MiB and five passes, one of the equal choices of the OWASP password storage cheat sheet: the least memory,
    /// because several sign-ins are computed at once.
    package static let standard = PasswordCost(checked: 14, blockSize: 8, parallelism: 5)

    /// For passwords that are not secret, such as those that the demo shows on its page: the least that a stored hash
    /// may have cost.
    package static let light = PasswordCost(checked: 10, blockSize: 8, parallelism: 1)
}

/// What a new password must be (NIST SP 800-63B §3.1.1.2): long enough, and no further rules of composition.
package enum PasswordRules {
    package static let minimumLength = 8
    /// Bounds what hashing reads.
    package static let maximumBytes = 1024

    /// - Returns: what is wrong, as half a sentence; `nil` for a good one.
    package static func problem(with password: Secret<String>) -> String? {
        let text = password.expose()
        if text.count < minimumLength { return "must have at least \(minimumLength) characters" }
        if text.utf8.count > maximumBytes { return "must have at most \(maximumBytes) bytes" }
        return nil
    }

    /// What is wrong with a password that a person chooses for an account; `nil` for a good one. What an administrator
    /// sets over the API or the command line follows ``problem(with:)`` alone: it may be a test account's.
    package static func flaw(of password: Secret<String>, for account: Account) -> PasswordFlaw? {
        let text = password.expose()
        if text.count < minimumLength { return .tooShort }
        if text.utf8.count > maximumBytes { return .tooLong }
        if FrequentPasswords.contains(text) { return .common }
        let names = [account.username?.text, account.email, account.displayName].compactMap(\.self)
        return names.contains { $0.lowercased() == text.lowercased() } ? .name : nil
    }
}

/// Why a password is not taken.
package enum PasswordFlaw: String, Sendable, CaseIterable {
    case tooShort = "too_short"
    case tooLong = "too_long"
    /// Among those that attackers try first (NIST SP 800-63B §5.1.1.2).
    case common
    /// The account's own name or address.
    case name
    /// The one that is to be replaced.
    case same
}
