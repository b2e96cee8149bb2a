import OAuth2

/// What a client may have before the names of its cookies (`cookie_prefix`).
enum CookieNamePrefix {
    static let limit = 64

    /// Letters, digits, `-` and `_`: a cookie name's tokens without the ones that separate (RFC 6265 §4.1.1).
    static func isAllowed(_ prefix: String) -> Bool {
        prefix.utf8.count <= limit
            && prefix.utf8.allSatisfy {
                ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    /// Whether browsers ask more of such names than the profile `tokens` sets: `Path=/` and no domain for `__Host-`,
    /// `HttpOnly` for `__Http-` (RFC 6265bis §4.1.3), in whatever case. `__Secure-` asks for nothing else.
    static func bindsToHost(_ prefix: String) -> Bool {
        let prefix = prefix.lowercased()
        return prefix.hasPrefix("__host-") || prefix.hasPrefix("__http-")
    }
}
