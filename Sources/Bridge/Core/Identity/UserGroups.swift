package import OAuth2

/// The groups of a user, for websites that ask: names that mean nothing here. They open neither the console nor anything
/// else of this service.
package struct UserGroups: Hashable, Sendable {
    /// The claim, and the scope that opens it.
    package static let claim = "groups"

    package let names: [String]

    package static let none = UserGroups([])

    private static let countLimit = 64
    /// Bytes of one name.
    private static let nameLimit = 128
    /// Bytes of all names: they fit in a header field that a proxy sets.
    private static let lengthLimit = 2048

    static let expectation = """
        must be at most \(countLimit) different names of 1 to \(nameLimit) bytes without control characters, \
        \(lengthLimit) in all
        """

    private init(_ names: [String]) { self.names = names }

    /// - Returns: `nil` for what is not a list of names, or is too long.
    package init?(_ value: JSONValue) {
        guard let names = value.strings, names.count <= Self.countLimit, Set(names).count == names.count,
            names.allSatisfy(Self.isName), names.reduce(0, { $0 + $1.utf8.count }) <= Self.lengthLimit
        else { return nil }
        self.init(names)
    }

    package var value: JSONValue { .array(names.map(JSONValue.string)) }

    private static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.utf8.count) && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
