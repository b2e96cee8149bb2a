/// Writing texts of the export into one growing buffer, without a string in between.
extension [UInt8] {
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    mutating func append(decimal number: Int64) {
        let start = count
        var rest = number.magnitude
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        if number < 0 { append(UInt8(ascii: "-")) }
        self[start...].reverse()
    }
}
