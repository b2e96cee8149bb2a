/// An instant: whole milliseconds since 1970-01-01T00:00:00Z, as every store keeps it.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// From a JWT NumericDate (RFC 7519 §2).
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds, rounded down: a JWT NumericDate.
    package var seconds: Int64 { Int64((Double(milliseconds) / 1000).rounded(.down)) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds + duration.inMilliseconds)
    }

    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds - duration.inMilliseconds)
    }

    /// The time from one instant to a later one; negative when it is earlier.
    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds; what is finer is cut off.
    package var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded up, at least 1: fit for `Retry-After` (RFC 9110 §10.2.3).
    package var roundedUpSeconds: Int { max(1, Int((inMilliseconds + 999) / 1000)) }
}
