import OAuth2

extension Client {
    /// Where a website hears of ended sessions and devices.
    package struct Webhook: Hashable, Sendable {
        /// The least length of a secret (RFC 2104 §3).
        package static let shortestSecret = 32
        static let fileNameLimit = 64

        package let uri: String
        /// The name of a file in the servers' folder of webhook secrets.
        package let secretFile: String

        package init(uri: String, secretFile: String) {
            self.uri = uri
            self.secretFile = secretFile
        }

        /// Whether a name is of a file in that very folder: letters, digits, `.`, `_` and `-`, no leading dot.
        package static func isFileName(_ name: String) -> Bool {
            (1...fileNameLimit).contains(name.utf8.count) && !name.hasPrefix(".")
                && name.utf8.allSatisfy(ASCII.isNameByte)
        }
    }
}
