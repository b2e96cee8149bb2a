public import Foundation

/// A JSON value as a request file or a profile holds it.
public enum JSONValue: Sendable, Equatable, Codable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// Deeper than anything that is asked here.
    private static let maximumDepth = 16

    /// - Returns: `nil` when it is not JSON in UTF-8, is nested deeper than 16, or has an object that names a member
    ///   twice.
    public init?(json: some DataProtocol) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json)),
            value.depth <= Self.maximumDepth, JSONNames.areUnique(in: Array(json))
        else { return nil }
        self = value
    }

    /// As ``Swift/Decodable`` says.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// As ``Swift/Encodable`` says.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Without spaces, members in the order of their names: for what a key is known by that is RFC 7638's form.
    public var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// A member of an object; `nil` when there is none, or it is not an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var members: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    var isTrue: Bool { self == .bool(true) }

    /// A list of words: an array of texts, or one text with spaces in between, as both were written over the years.
    var words: [String]? {
        switch self {
        case .string(let text): return text.split(separator: " ").map(String.init)
        case .array(let values):
            let words = values.compactMap(\.string)
            return words.count == values.count ? words : nil
        default: return nil
        }
    }

    private var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}
