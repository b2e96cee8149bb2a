/// An instant: whole milliseconds since 1970-01-01T00:00:00Z, as every store keeps it.
///
/// Its arithmetic ends at the ends of time and never traps: numbers come from outside, some of them before a signature
/// is looked at, and one of them must not end the process.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    /// The first instant that RFC 3339 can write: the start of the year 0.
    package static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
    /// The last instant that RFC 3339 can write: the end of the year 9999.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The instant of a JWT NumericDate (RFC 7519 §2).
    package init(seconds: Int64) { milliseconds = seconds.timesOneThousand }

    /// Whole seconds, rounded down: a JWT NumericDate.
    package var seconds: Int64 { milliseconds.dividedFloored(by: 1000).quotient }

    /// Whether RFC 3339 can write it. What cannot be written is not an instant that anyone meant.
    package var isWritable: Bool { self >= .earliest && self <= .latest }

    /// The instant itself, or the nearest one that can be written.
    package var writable: Timestamp { min(max(self, .earliest), .latest) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds.adding(duration.inMilliseconds))
    }

    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds.subtracting(duration.inMilliseconds))
    }

    /// The time from one instant to a later one; negative when it is earlier.
    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds.subtracting(earlier.milliseconds))
    }
}

extension Duration {
    /// Whole milliseconds; what is finer is cut off.
    package var inMilliseconds: Int64 {
        components.seconds.timesOneThousand.adding(components.attoseconds / 1_000_000_000_000_000)
    }

    /// Whole seconds, rounded up, at least 1: fit for `Retry-After` (RFC 9110 §10.2.3).
    package var roundedUpSeconds: Int { max(1, Int(inMilliseconds.adding(999) / 1000)) }

    /// Whole minutes, rounded up, at least 1: fit for a person who has to wait.
    package var roundedUpMinutes: Int { max(1, Int(inMilliseconds.adding(59_999) / 60_000)) }
}

extension Int64 {
    /// Whole quotient towards negative infinity, and what is left: never negative.
    func dividedFloored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate var timesOneThousand: Int64 {
        let (product, isTooLarge) = multipliedReportingOverflow(by: 1000)
        return isTooLarge ? (self < 0 ? .min : .max) : product
    }

    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isTooLarge) = subtractingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .max : .min) : difference
    }
}
