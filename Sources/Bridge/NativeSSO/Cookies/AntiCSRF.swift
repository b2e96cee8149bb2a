import Crypto
import OAuth2

/// The value that a page must repeat in `X-CSRF-Token` to refresh (contract §6).
///
/// Computed from the refresh cookie, so it belongs to that one and nothing has to be kept: another site can make a
/// browser send the cookie, but cannot know what follows from it.
package enum AntiCSRF {
    package static func value(for refresh: OpaqueSecret) -> Secret<String> {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("drawbridge anti-csrf".utf8), using: SymmetricKey(data: Array(refresh.expose().utf8)))
        return Secret(Base64URL.encode(Array(code)))
    }

    package static func matches(_ presented: String?, _ refresh: OpaqueSecret) -> Bool {
        guard let presented else { return false }
        return ConstantTime.equals(presented.utf8, value(for: refresh).expose().utf8)
    }
}
