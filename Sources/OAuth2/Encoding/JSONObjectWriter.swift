/// Writes one JSON object, member by member in the order of the calls, without reflection.
package struct JSONObjectWriter: Sendable {
    private var bytes: [UInt8] = []

    /// - Parameter capacity: bytes that there is room for without growing.
    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Adds a string member; an absent one is left out.
    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        JSONText.appendQuoted(value, to: &bytes)
    }

    package mutating func add(_ name: String, _ value: Int64) { add(name, json: String(value)) }

    package mutating func add(_ name: String, _ value: Bool) { add(name, json: value ? "true" : "false") }

    package mutating func add(_ name: String, _ values: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.appendQuoted(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds one value as a string and several as an array, as `aud` may be (RFC 7519 §4.1.3).
    package mutating func add(_ name: String, oneOrMore values: [String]) {
        if values.count == 1 { add(name, values[0]) } else { add(name, values) }
    }

    package mutating func add(_ name: String, objects: [JSONObjectWriter]) {
        add(name, json: Self.array(objects))
    }

    package mutating func addNull(_ name: String) { add(name, json: "null") }

    /// - Parameter json: a value that is JSON already; an absent one is left out.
    package mutating func add(_ name: String, json: String?) {
        guard let json else { return }
        begin(name)
        bytes.append(contentsOf: json.utf8)
    }

    /// - Parameter json: a value that is JSON already.
    package mutating func add(_ name: String, json: [UInt8]) {
        begin(name)
        bytes.append(contentsOf: json)
    }

    package mutating func add(_ name: String, json: JSONObjectWriter) { add(name, json: json.finish()) }

    /// The object's bytes.
    package consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The object as text.
    package consuming func finishedText() -> String { String(decoding: finish(), as: UTF8.self) }

    /// Objects as a JSON array.
    package static func array(_ objects: [JSONObjectWriter]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(objects.map { $0.finish() }.joined(separator: [UInt8(ascii: ",")]))
            + [UInt8(ascii: "]")]
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
