/// JSON written by hand, where a general encoder would cost more than the rest of the request.
package enum JSONText {
    /// A JSON string with its quotes (RFC 8259 §7).
    ///
    /// `<`, U+2028 and U+2029 are escaped too, so that the text is inert inside HTML and old JavaScript.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 2)
        appendQuoted(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// As ``quoted(_:)``, into a buffer.
    package static func appendQuoted(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var plain = 0
            var index = 0
            while index < bytes.count {
                guard isSpecial[Int(bytes[index])] else {
                    index += 1
                    continue
                }
                output.append(contentsOf: bytes[plain..<index])
                let length = appendEscaped(bytes, at: index, to: &output)
                index += length
                plain = index
            }
            output.append(contentsOf: bytes[plain...])
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Bytes that do not simply stand for themselves; E2 begins U+2028 and U+2029, among many others.
    private static let isSpecial: [Bool] = (0..<256).map { byte in
        byte < 0x20 || byte == 0x7F || byte == 0xE2 || [0x22, 0x5C, 0x3C].contains(byte)
    }

    /// - Returns: how many bytes of the text were written.
    private static func appendEscaped(
        _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, to output: inout [UInt8]
    ) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(bytes[index])
        case 0x0A: output.append(contentsOf: "\\n".utf8)
        case 0x0D: output.append(contentsOf: "\\r".utf8)
        case 0x09: output.append(contentsOf: "\\t".utf8)
        case 0xE2:
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            guard index + 2 < bytes.count, bytes[index + 1] == 0x80, bytes[index + 2] | 1 == 0xA9 else {
                output.append(0xE2)
                return 1
            }
            output.append(contentsOf: (bytes[index + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8)
            return 3
        case let byte:
            output.append(contentsOf: "\\u00".utf8)
            output.append(contentsOf: HexDigit.encode([byte]).utf8)
        }
        return 1
    }
}
