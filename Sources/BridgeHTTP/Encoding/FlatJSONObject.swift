/// A JSON object whose members are strings, integers, booleans or null, read strictly (RFC 8259).
///
/// `JSONDecoder` keeps one of two members with the same name and says nothing, so two readers of one body could see
/// two different requests; here a repeated member is an error, and so is anything nested.
struct FlatJSONObject: Sendable {
    enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        /// A number that is no 64-bit integer.
        case otherNumber
        case boolean(Bool)
        case null
    }

    enum Failure: Error, Hashable {
        case malformed
        case repeated(String)
        case nested(String)
        case tooManyMembers
    }

    static let maximumCount = 64

    /// In the order of the text.
    private(set) var members: [(name: String, value: Value)] = []

    subscript(_ name: String) -> Value? { members.first { $0.name == name }?.value }

    /// - Throws: ``Failure``.
    init(parsing bytes: [UInt8]) throws(Failure) {
        var reader = JSONReader(bytes)
        reader.skipSpace()
        guard reader.take(UInt8(ascii: "{")) else { throw .malformed }
        reader.skipSpace()
        if !reader.take(UInt8(ascii: "}")) {
            repeat {
                reader.skipSpace()
                guard let name = reader.string() else { throw .malformed }
                reader.skipSpace()
                guard reader.take(UInt8(ascii: ":")) else { throw .malformed }
                reader.skipSpace()
                if reader.isAtContainer { throw .nested(name) }
                guard let value = reader.scalar() else { throw .malformed }
                guard self[name] == nil else { throw .repeated(name) }
                guard members.count < Self.maximumCount else { throw .tooManyMembers }
                members.append((name, value))
                reader.skipSpace()
            } while reader.take(UInt8(ascii: ","))
            guard reader.take(UInt8(ascii: "}")) else { throw .malformed }
        }
        reader.skipSpace()
        guard reader.isAtEnd else { throw .malformed }
    }
}
