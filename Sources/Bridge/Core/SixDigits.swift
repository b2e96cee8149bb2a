/// Codes of six decimal digits, which one screen shows and a person types at another (contract §4.2 and §9; RFC 6238).
enum SixDigits {
    static let count = 6

    /// The last six decimal digits of a number, with zeros in front where it has fewer.
    static func text(_ number: some UnsignedInteger) -> String {
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }

    /// Reads what was typed: six decimal digits of any script, with spaces and hyphens where they help to read.
    /// - Returns: the digits in ASCII; `nil` for anything else, which is not an attempt.
    static func read(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let digits = text.filter { !" -\u{a0}".contains($0) }.map { character -> Int? in
            guard character.unicodeScalars.count == 1,
                character.unicodeScalars.first?.properties.numericType == .decimal
            else { return nil }
            return character.wholeNumberValue
        }
        let read = digits.compactMap(\.self)
        return read.count == count && digits.count == count ? read.map(String.init).joined() : nil
    }
}
