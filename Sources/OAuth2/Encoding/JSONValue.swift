/// A JSON value as ``JSONReader`` gives it.
///
/// Read by our own parser because a decoder that lets the last of two equal members win, or guesses at broken text,
/// lets two readers of one token see two different tokens.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// As written; see ``integer``, ``wholeNumber`` and ``decimal``.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads one value that fills `text` but for white space.
    /// - Parameter depth: how many arrays and objects may lie inside each other.
    /// - Returns: `nil` for anything that RFC 8259 does not allow, a repeated member name, or deeper nesting.
    package static func parse(_ text: some Sequence<UInt8>, depth: Int = 16) -> JSONValue? {
        parse(bytes: Array(text), depth: depth)
    }

    /// As ``parse(_:depth:)``. Not generic: other modules would run the copying unspecialised.
    package static func parse(bytes text: [UInt8], depth: Int = 16) -> JSONValue? {
        var reader = JSONReader(text: text)
        return reader.document(depth: depth)
    }

    package var isNull: Bool { self == .null }

    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    package var string: String? { if case .string(let value) = self { value } else { nil } }

    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    package var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// A number written without fraction and exponent that fits: as this service writes whole numbers, in tokens and
    /// records that are read back by the letter.
    package var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

    /// The integers that a double holds without taking one for its neighbour (RFC 7493 §2.2).
    private static let exactInDouble: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    /// An ``integer``, or one with a fraction of zeros, such as `45.0`: programs that keep their numbers as doubles send
    /// it so, and to a JSON Schema it is an integer. For what others send.
    package var wholeNumber: Int64? {
        guard case .number(let text) = self else { return nil }
        if let integer { return integer }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy({ $0 == UInt8(ascii: "0") }),
            let number = Int64(String(decoding: parts[0], as: UTF8.self)), Self.exactInDouble.contains(number)
        else { return nil }
        return number
    }

    /// Any number, rounded to a double; always finite.
    package var decimal: Double? {
        guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Whether every number in it is one that a double can hold; encoders write no other.
    package var isFinite: Bool {
        switch self {
        case .null, .bool, .string: true
        case .number: decimal != nil
        case .array(let values): values.allSatisfy(\.isFinite)
        case .object(let members): members.values.allSatisfy(\.isFinite)
        }
    }

    /// The strings of an array that holds nothing else.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    /// A string, or the ``strings`` of an array, as `aud` may be (RFC 7519 §4.1.3). Every reader of `aud` must take it
    /// alike, for it decides whom a token is for.
    package var oneOrMore: [String]? { string.map { [$0] } ?? strings }
}

extension JSONValue {
    /// The value as compact JSON; members in the order of their names, so that equal values give equal text.
    package var text: String {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): output.append(contentsOf: text.utf8)
        case .string(let text): JSONText.appendQuoted(text, to: &output)
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                value.append(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.appendQuoted(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
