import Crypto
import OAuth2

/// Time-based one-time passwords: six digits, 30 seconds, HMAC-SHA-1 as authenticator apps expect (RFC 6238).
package enum OneTimeCode {
    package static let stepLength: Int64 = 30
    private static let digits = 6
    /// Steps to either side that a phone's clock may be off.
    private static let tolerance: Int64 = 1

    package static func step(at now: Timestamp) -> Int64 { now.seconds / stepLength }

    /// The code of one step (RFC 4226 §5.3).
    package static func code(secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> Int64(56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[mac.count - 1] & 0xF)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The step around `now` whose code this is; all candidates are compared, so time tells nothing.
    package static func matchingStep(_ code: String, secret: [UInt8], at now: Timestamp) -> Int64? {
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
            + "&algorithm=SHA1&digits=\(digits)&period=\(stepLength)"
    }
}
