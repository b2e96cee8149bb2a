/// Durations as settings write them: a whole number and a unit, `250ms`, `60s`, `30m`, `12h`, `90d`.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// - Returns: `nil` for anything but digits and one unit; a bare number has no unit and is refused, so that
    ///   nobody has to know which one is meant.
    static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.count <= 12, let number = Int64(digits),
            let unit = units.first(where: { $0.suffix == text.dropFirst(digits.count) })
        else { return nil }
        let (milliseconds, isTooLarge) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return isTooLarge ? nil : .milliseconds(milliseconds)
    }

    /// The shortest text that ``parse(_:)`` reads back as the same duration.
    static func describe(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let unit = units.last { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? units[1]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
