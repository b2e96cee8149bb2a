import OAuth2

extension Client {
    /// Where a website hears of ended sessions and devices.
    package struct Webhook: Hashable, Sendable {
        package let uri: String
        /// The name of a file in the servers' folder of webhook secrets.
        package let secretFile: String

        package init(uri: String, secretFile: String) {
            self.uri = uri
            self.secretFile = secretFile
        }

        /// Whether a name is of a file in that very folder: 1 to 64 letters, digits, `.`, `_` and `-`, no leading dot.
        package static func isFileName(_ name: String) -> Bool {
            (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
                && name.utf8.allSatisfy(ASCII.isNameByte)
        }
    }
}
