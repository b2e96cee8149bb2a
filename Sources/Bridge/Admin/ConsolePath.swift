/// Places of the console that a sign-in may lead to.
package enum ConsolePath {
    package static let home = "/admin/"
    package static let signIn = "/admin/sign-in"

    /// The path, when it is one of the console's own: visible ASCII below ``home``, so it names this origin.
    package static func checked(_ text: String?) -> String? {
        guard let text, text.hasPrefix(home), !text.hasPrefix(signIn), text.utf8.count <= 2048,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return text
    }
}
