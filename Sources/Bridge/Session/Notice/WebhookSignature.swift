import Crypto
import OAuth2

/// Proves to a webhook's receiver who posts, and when: `t=<Unix seconds>,v1=<hex>`.
///
/// `v1` is HMAC-SHA-256 over `<t>.<body>`. There is one `v1` for each secret in force, so that a secret can be replaced
/// without a gap: the receiver accepts when any of them fits.
package enum WebhookSignature {
    /// - Parameter secrets: the first signs first.
    package static func header(of body: [UInt8], secrets: [Secret<[UInt8]>], at now: Timestamp) -> String {
        let time = String(now.seconds)
        let message = Array("\(time).".utf8) + body
        let codes = secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret.expose()))
            return "v1=\(HexDigit.encode(Array(code)))"
        }
        return (["t=\(time)"] + codes).joined(separator: ",")
    }
}
