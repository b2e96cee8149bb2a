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
