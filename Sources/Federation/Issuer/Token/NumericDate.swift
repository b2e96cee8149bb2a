package import Bridge
package import OAuth2

extension Timestamp {
    /// Reads a NumericDate (RFC 7519 §2), which may have a fraction.
    /// - Returns: `nil` for another type, and outside the years 1970…9999, where arithmetic could overflow.
    package init?(numericDate value: JSONValue) {
        guard let seconds = value.decimal, (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}
