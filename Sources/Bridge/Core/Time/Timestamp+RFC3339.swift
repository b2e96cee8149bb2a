import OAuth2

extension Timestamp {
    /// RFC 3339 with milliseconds in UTC, `2026-11-21T07:00:00.000Z` (contract §13).
    ///
    /// It has four digits for a year, so an instant before the year 0 or after the year 9999 is written as the nearest
    /// one that there is a text for.
    package var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        appendRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends ``rfc3339``.
    package func appendRFC3339(to text: inout [UInt8]) {
        let (days, millisecondOfDay) = writable.milliseconds.dividedFloored(by: 86_400_000)
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        let second = millisecondOfDay / 1000
        func append(_ value: Int64, digits: Int) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        append(year, digits: 4)
        text.append(UInt8(ascii: "-"))
        append(month, digits: 2)
        text.append(UInt8(ascii: "-"))
        append(day, digits: 2)
        text.append(UInt8(ascii: "T"))
        append(second / 3600, digits: 2)
        text.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2)
        text.append(UInt8(ascii: "."))
        append(millisecondOfDay % 1000, digits: 3)
        text.append(UInt8(ascii: "Z"))
    }

    /// Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)` (RFC 3339 §5.6); digits past milliseconds are cut off.
    /// - Returns: `nil` also where the offset leads out of the years 0 to 9999: no text would say it again.
    package init?(rfc3339 text: String) {
        var reader = DigitReader(text: Array(text.utf8))
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), reader.skip(":"), let minute = reader.number(digits: 2),
            reader.skip(":"), let second = reader.number(digits: 2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        guard let fraction = reader.skip(".") ? reader.millisecondFraction() : 0 else { return nil }
        guard let offset = reader.offsetMinutes(), reader.isAtEnd else { return nil }
        let days = Self.daysSinceEpoch(year: year, month: month, day: day)
        guard Self.civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
        milliseconds = ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + fraction
        guard isWritable else { return nil }
    }

    // Days <-> proleptic Gregorian date, counting years from March so that the leap day comes last
    // (the era arithmetic of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).dividedFloored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedFloored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

private struct DigitReader {
    let text: [UInt8]
    private var position = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func digit() -> Int64? {
        guard position < text.count, ASCII.isDigit(text[position]) else {
            return nil
        }
        defer { position += 1 }
        return Int64(text[position] - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func millisecondFraction() -> Int64? {
        guard var value = digit() else { return nil }
        var digits = 1
        while let next = digit() {
            if digits < 3 { value = value * 10 + next }
            digits += 1
        }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
