/// An instant as fields of HTTP and cookies write it, `Sun, 06 Nov 1994 08:49:37 GMT`: in the fixed-length form of
/// RFC 9110 §5.6.7, in whole seconds.
package struct HTTPDate: Hashable, Sendable {
    package let instant: Timestamp

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    package init(_ instant: Timestamp) { self.instant = instant }

    /// - Returns: `nil` for what has another form, another zone, or a day of the week that is not the date's.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[3].utf8.count == 4,
            parts[4].utf8.count == 8, parts[5] == "GMT",
            let month = Self.months.firstIndex(where: { $0 == parts[2] })
        else { return nil }
        let date = "\(parts[3])-\(Self.padded(Int64(month + 1)))-\(parts[1])"
        guard let midnight = Timestamp(rfc3339: "\(date)T00:00:00Z"),
            let instant = Timestamp(rfc3339: "\(date)T\(parts[4])Z"),
            parts[0] == "\(Self.weekday(midnight.days)),"
        else { return nil }
        self.instant = instant
    }

    /// As RFC 3339 it has four digits for a year: beyond them is the nearest instant that there is a text for.
    package var text: String {
        let instant = instant.writable
        let (year, month, day) = Timestamp.civil(daysSinceEpoch: instant.days)
        let second = (instant - Timestamp(seconds: instant.days * 86_400)).inMilliseconds / 1000
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0) }.joined(separator: ":")
        return "\(Self.weekday(instant.days)), \(Self.padded(day)) \(Self.months[Int(month) - 1]) "
            + "\(Self.padded(year, to: 4)) \(time) GMT"
    }

    /// 1970-01-01 was a Thursday.
    private static func weekday(_ days: Int64) -> String { weekdays[Int(days.dividedFloored(by: 7).remainder)] }

    private static func padded(_ number: Int64, to digits: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension Timestamp {
    /// Whole days since 1970-01-01, rounded down.
    fileprivate var days: Int64 { milliseconds.dividedFloored(by: 86_400_000).quotient }
}
