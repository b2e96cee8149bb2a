import OAuth2

/// What a client may say about the names and reach of its cookies.
enum CookieNamePrefix {
    /// Letters, digits, `-` and `_`: a cookie name's tokens without the ones that separate (RFC 6265 §4.1.1).
    static func isAllowed(_ prefix: String) -> Bool {
        prefix.utf8.count <= 64
            && prefix.utf8.allSatisfy {
                ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    /// A name of at least two labels, with or without the old leading dot.
    static func isDomain(_ domain: String) -> Bool {
        let labels = domain.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
        return domain.utf8.count <= 253 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }
}
