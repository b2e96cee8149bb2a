package import OAuth2

extension Timestamp {
    /// Seconds since 1970 that may have a fraction, as a JWT says them (RFC 7519 §2).
    /// - Returns: `nil` outside the years 1970…9999, where arithmetic could overflow.
    package init?(numericDate seconds: Double) {
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }

    /// A claim's value as seconds since 1970 (RFC 7519 §2).
    /// - Returns: `nil` for another type, and outside the years 1970…9999.
    package init?(numericDate value: JSONValue) {
        guard let seconds = value.decimal else { return nil }
        self.init(numericDate: seconds)
    }
}
