package import Bridge
import OAuth2

/// Writes one JSON object, member by member, without reflection: the answers of hot routes and every log line.
package struct JSONObjectWriter: Sendable {
    private var bytes: [UInt8] = []

    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Adds a string member; an absent one is left out.
    package mutating func add(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        begin(name)
        JSONText.appendQuoted(value, to: &bytes)
    }

    package mutating func add(_ name: StaticString, _ value: Int64) {
        begin(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    package mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Adds an instant as RFC 3339 text (contract §13).
    package mutating func add(_ name: StaticString, _ value: Timestamp?) {
        add(name, value?.rfc3339)
    }

    package mutating func add(_ name: StaticString, _ values: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.appendQuoted(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func addNull(_ name: StaticString) {
        begin(name)
        bytes.append(contentsOf: "null".utf8)
    }

    /// Adds a member whose value is JSON already.
    package mutating func add(_ name: StaticString, json: JSONObjectWriter) {
        begin(name)
        bytes.append(contentsOf: json.finished)
    }

    /// As ``add(_:json:)``, from text; an absent one is left out.
    package mutating func add(_ name: StaticString, jsonText: String?) {
        guard let jsonText else { return }
        begin(name)
        bytes.append(contentsOf: jsonText.utf8)
    }

    /// The object, closed.
    package var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func begin(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}

extension JSONObjectWriter {
    /// Adds a duration in milliseconds with three decimals.
    mutating func add(_ name: StaticString, milliseconds duration: Duration) {
        let microseconds = max(
            0, duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000)
        let fraction = String(microseconds % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.utf8.count)
        addNumber(name, "\(microseconds / 1000).\(padding)\(fraction)")
    }

    private mutating func addNumber(_ name: StaticString, _ text: String) {
        begin(name)
        bytes.append(contentsOf: text.utf8)
    }
}

extension JSONObjectWriter {
    mutating func add(_ name: StaticString, _ objects: [JSONObjectWriter]) {
        begin(name)
        bytes.append(contentsOf: Self.array(objects))
    }

    /// Objects as a JSON array.
    static func array(_ objects: [JSONObjectWriter]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(objects.map(\.finished).joined(separator: [UInt8(ascii: ",")]))
            + [UInt8(ascii: "]")]
    }
}

extension JSONObjectWriter {
    /// Adds a member whose name is not known in advance.
    mutating func add(dynamic name: String, _ value: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONText.appendQuoted(value, to: &bytes)
    }
}
