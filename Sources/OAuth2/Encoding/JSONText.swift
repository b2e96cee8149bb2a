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
        var utf8 = text.utf8.makeIterator()
        // The bytes of U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        var separatorPrefix = 0
        while let byte = utf8.next() {
            switch (byte, separatorPrefix) {
            case (0xE2, _): separatorPrefix = 1
            case (0x80, 1): separatorPrefix = 2
            case (0xA8, 2), (0xA9, 2):
                output.removeLast(2)
                output.append(contentsOf: (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8)
                separatorPrefix = 0
                continue
            default: separatorPrefix = 0
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F, UInt8(ascii: "<"):
                output.append(contentsOf: "\\u00".utf8)
                output.append(contentsOf: HexDigit.encode([byte]).utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}

/// Builds one JSON object, member by member, in the order of the calls.
package struct JSONObjectWriter {
    private var output: [UInt8] = [UInt8(ascii: "{")]

    package init() {
        output.reserveCapacity(256)
    }

    /// - Parameter value: `nil` writes `null`.
    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return add(name, json: "null") }
        begin(name)
        JSONText.appendQuoted(value, to: &output)
    }

    package mutating func add(_ name: String, _ value: Int64) { add(name, json: String(value)) }

    package mutating func add(_ name: String, _ value: Bool) { add(name, json: value ? "true" : "false") }

    package mutating func add(_ name: String, _ values: [String]) {
        begin(name)
        output.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.appendQuoted(value, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// - Parameter json: a value that is JSON already.
    package mutating func add(_ name: String, json: String) {
        begin(name)
        output.append(contentsOf: json.utf8)
    }

    /// The object's bytes.
    package consuming func finish() -> [UInt8] {
        output.append(UInt8(ascii: "}"))
        return output
    }

    private mutating func begin(_ name: String) {
        if output.count > 1 { output.append(UInt8(ascii: ",")) }
        JSONText.appendQuoted(name, to: &output)
        output.append(UInt8(ascii: ":"))
    }
}
