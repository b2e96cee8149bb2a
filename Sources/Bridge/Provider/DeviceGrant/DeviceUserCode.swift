import Crypto
import OAuth2

/// The code that a person reads off one device and types on another: 8 of 20 letters, 34.5 bits, no vowels, so that it
/// makes no words (RFC 8628 §6.1).
package struct DeviceUserCode: Hashable, Sendable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let length = 8

    /// Eight letters, upper case.
    private let letters: String

    static func make(random: RandomSource) -> DeviceUserCode { DeviceUserCode { random.bytes(16) } }

    /// - Parameter bytes: each as likely as any other; further ones at each call.
    init(from bytes: () -> [UInt8]) {
        // A byte past the last whole round of the alphabet would make some letters likelier than others.
        let rounds = 256 / Self.alphabet.count * Self.alphabet.count
        var letters: [UInt8] = []
        while letters.count < Self.length {
            letters += bytes().filter { Int($0) < rounds }.map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        self.init(letters: String(decoding: letters.prefix(Self.length), as: UTF8.self))
    }

    private init(letters: String) { self.letters = letters }

    /// Reads what was typed: in any case, with whatever is between the letters.
    /// - Returns: `nil` for what cannot be a code.
    package init?(_ typed: String) {
        let letters = typed.utf8.prefix(256).filter(ASCII.isLetterOrDigit).map { ASCII.isLetter($0) ? $0 & ~0x20 : $0 }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.init(letters: String(decoding: letters, as: UTF8.self))
    }

    /// The code in two groups, as it is shown everywhere.
    package var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }

    /// What a store keeps. So few bits are found again from a plain digest, so it takes a key that no store has.
    func digest(_ key: SymmetricKey) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(letters.utf8), using: key)))
    }
}
