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

    /// A claim's value as the nearest instant: of a number before all of them the ``earliest``, after all of them the
    /// ``latest``, so that comparing decides as it would with the number itself.
    /// - Returns: `nil` for another type.
    package init?(nearest value: JSONValue) {
        guard let seconds = value.decimal else { return nil }
        self = Self(numericDate: seconds) ?? (seconds < 0 ? .earliest : .latest)
    }
}
