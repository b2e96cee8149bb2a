extension JSONText {
    /// Writes JSON with every character beyond ASCII as `\uXXXX`, in pairs where it needs two (RFC 8259 §7).
    /// - Parameter json: JSON as UTF-8, in which such characters stand inside strings only.
    package static func appendASCII(_ json: [UInt8], to output: inout [UInt8]) {
        guard json.contains(where: { $0 >= 0x80 }) else { return output.append(contentsOf: json) }
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            guard !scalar.isASCII else {
                output.append(UInt8(scalar.value))
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                output.append(UInt8(ascii: "\\"))
                output.append(UInt8(ascii: "u"))
                output.append(contentsOf: HexDigit.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8)
            }
        }
    }
}
