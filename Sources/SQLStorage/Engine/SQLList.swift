import Bridge
import OAuth2

extension SQLValue {
    /// Texts in one list at most: what a statement does for that many takes some hundredths of a second, of the seconds
    /// that it may take.
    static let mostListed = 500

    /// Identifiers as lists for ``SQLDialect/isAmong``, in as few as will do; none for none.
    /// - Throws: ``SQLError`` for text with a zero byte, as for any argument: escaped, the engines would not see it.
    static func lists(of identifiers: [some Identifier]) throws -> [SQLValue] {
        try stride(from: 0, to: identifiers.count, by: mostListed).map { start in
            try list(of: identifiers[start..<min(start + mostListed, identifiers.count)])
        }
    }

    /// A JSON array, which both engines read.
    private static func list(of identifiers: ArraySlice<some Identifier>) throws -> SQLValue {
        var json = [UInt8(ascii: "[")]
        for identifier in identifiers {
            guard !identifier.rawValue.utf8.contains(0) else {
                throw SQLError(kind: .refused, text: "text with a zero byte cannot be stored")
            }
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONText.appendQuoted(identifier.rawValue, to: &json)
        }
        json.append(UInt8(ascii: "]"))
        return .text(String(decoding: json, as: UTF8.self))
    }
}
