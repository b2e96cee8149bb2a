package import OAuth2

/// The groups of a user, for websites that ask: names that mean nothing here. They open neither the console nor anything
/// else of this service.
package struct UserGroups: Hashable, Sendable {
    /// The claim, and the scope that opens it.
    package static let claim = "groups"

    package let names: [String]

    package static let none = UserGroups([])

    static let expectation =
        "must be at most 64 different names of 1 to 128 bytes without control characters, 2048 in all"

    private init(_ names: [String]) { self.names = names }

    /// - Returns: `nil` for what is no list of names, or too long for a header field that a proxy sets.
    package init?(_ value: JSONValue) {
        guard let names = value.strings, names.count <= 64, Set(names).count == names.count,
            names.allSatisfy(Self.isName), names.reduce(0, { $0 + $1.utf8.count }) <= 2048
        else { return nil }
        self.init(names)
    }

    package var value: JSONValue { .array(names.map(JSONValue.string)) }

    private static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
