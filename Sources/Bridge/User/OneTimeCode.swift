import Crypto
import Foundation
import OAuth2

/// Time-based one-time passwords: six digits, 30 seconds, HMAC-SHA-1 as authenticator apps expect (RFC 6238).
package enum OneTimeCode {
    package static let stepLength: Int64 = 30
    /// Steps to either side that a phone's clock may be off.
    private static let tolerance: Int64 = 1

    package static func step(at now: Timestamp) -> Int64 { now.seconds / stepLength }

    /// The code of one step (RFC 4226 §5.3).
    package static func code(secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> Int64(56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[mac.count - 1] & 0xF)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return SixDigits.text(number)
    }

    /// The step around `now` whose code was typed; all candidates are compared, so time tells nothing.
    package static func matchingStep(typed: String, secret: [UInt8], at now: Timestamp) -> Int64? {
        guard let code = SixDigits.read(typed) else { return nil }
        let current = step(at: now)
        var found: Int64?
        for step in (current - tolerance)...(current + tolerance)
        where ConstantTime.equals(self.code(secret: secret, step: step).utf8, code.utf8) {
            found = step
        }
        return found
    }

    /// What a QR code for authenticator apps holds.
    package static func enrolmentURI(secret: [UInt8], account: String, issuer: String) -> String {
        let label = "\(PercentEncoding.encode(issuer)):\(PercentEncoding.encode(account))"
        return "otpauth://totp/\(label)?secret=\(Base32.encode(secret))&issuer=\(PercentEncoding.encode(issuer))"
            + "&algorithm=SHA1&digits=\(SixDigits.count)&period=\(stepLength)"
    }
}

/// Base32 without padding (RFC 4648 §6): what authenticator apps read, and what people can type.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(alphabet[Int(buffer >> UInt32(bits) & 0x1F)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { output.append(alphabet[Int(buffer << UInt32(5 - bits) & 0x1F)]) }
        return String(decoding: output, as: UTF8.self)
    }
}

/// Keeps TOTP secrets unreadable for a thief of the database alone.
package struct SecondFactorSecrets: Sendable {
    private let master: MasterKey

    package init(master: MasterKey) { self.master = master }

    /// Seals a secret for one user: it opens for no other.
    package func seal(_ secret: [UInt8], for subject: Subject) throws -> String {
        try master.seal(secret, name: Self.name(subject))
    }

    /// - Throws: ``MasterKeyError`` when it was sealed with another key or for another user.
    package func open(_ sealed: String, for subject: Subject) throws -> [UInt8] {
        try master.open(sealed, name: Self.name(subject))
    }

    private static func name(_ subject: Subject) -> String { "second factor of \(subject.rawValue)" }
}

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

    /// The digest of a code as a person typed it, with or without the hyphens, in letters of full width as well.
    /// - Returns: `nil` for a text that is not a recovery code.
    package static func digest(ofTyped typed: String) -> String? {
        guard typed.utf8.count <= 128 else { return nil }
        // Which makes a space of one that does not break, too.
        let bare = typed.precomposedStringWithCompatibilityMapping.lowercased().filter { $0 != "-" && $0 != " " }
        guard bare.utf8.count == 16,
            bare.utf8.allSatisfy({ ASCII.isLowercase($0) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return digest(of: bare)
    }

    private static func digest(of bare: String) -> String {
        SHA256Hash(of: bare).base64URL
    }
}
