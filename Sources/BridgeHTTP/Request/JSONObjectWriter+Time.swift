import Bridge
import OAuth2

extension JSONObjectWriter {
    /// Adds an instant as RFC 3339 text (contract §13); an absent one is left out.
    mutating func add(_ name: String, _ value: Timestamp?) { add(name, value?.rfc3339) }

    /// Adds a duration in milliseconds with three decimals.
    mutating func add(_ name: String, milliseconds duration: Duration) {
        let microseconds = max(
            0, duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000)
        let fraction = String(microseconds % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.utf8.count)
        add(name, json: "\(microseconds / 1000).\(padding)\(fraction)")
    }
}
