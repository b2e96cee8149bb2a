extension PercentEncoding {
    /// Decodes one component; `+` stays a plus.
    /// - Returns: `nil` for a `%` that two hexadecimal digits do not follow, or bytes that are no UTF-8.
    package static func decode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                output.append(byte)
                continue
            }
            guard let high = bytes.popFirst().flatMap(HexDigit.value),
                let low = bytes.popFirst().flatMap(HexDigit.value)
            else { return nil }
            output.append(high << 4 | low)
        }
        return String(validating: output, as: UTF8.self)
    }
}
