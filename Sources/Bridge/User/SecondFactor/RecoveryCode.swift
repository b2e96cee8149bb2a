import Crypto
import OAuth2

/// A code on paper for the day when the phone is gone: 80 random bits, used once, kept as a digest.
package struct RecoveryCode: Sendable {
    package static let count = 10
    /// Four groups of four letters and digits.
    package let text: Secret<String>

    package init(random: RandomSource) {
        let characters = Array(Base32.encode(random.bytes(10)).lowercased())
        let groups = stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<$0 + 4]) }
        text = Secret(groups.joined(separator: "-"))
    }

    /// A set of codes for one user.
    package static func make(random: RandomSource) -> [RecoveryCode] {
        (0..<count).map { _ in RecoveryCode(random: random) }
    }

    /// What a store keeps of it.
    package var digest: String { Self.digest(of: text.expose().filter { $0 != "-" }) }

    /// The digest of a code as a person typed it, with or without the hyphens.
    /// - Returns: `nil` for a text that is no recovery code.
    package static func digest(ofTyped typed: String) -> String? {
        let bare = typed.lowercased().filter { $0 != "-" && $0 != " " }
        guard bare.utf8.count == 16,
            bare.utf8.allSatisfy({ ASCII.isLowercase($0) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return digest(of: bare)
    }

    private static func digest(of bare: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(bare.utf8))))
    }
}
