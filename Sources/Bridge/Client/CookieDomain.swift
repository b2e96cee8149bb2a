import OAuth2

/// What a client may say of where its cookies go (`cookie_domain`).
enum CookieDomain {
    /// What a browser makes of a cookie's domain: it takes off one leading dot, and no more (RFC 6265 §5.2.3).
    static func withoutLeadingDot(_ domain: String) -> Substring {
        domain.hasPrefix(".") ? domain.dropFirst() : domain[...]
    }

    /// A name of at least two labels, with or without leading dots. More than one are refused of what is new alone
    /// (``ClientDocument``): they were taken once, and what is stored has to be read.
    static func isAllowed(_ domain: String) -> Bool {
        let labels = domain.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
        return domain.utf8.count <= 253 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }
}
