/// Where the browser brings the answer back to the app: one of the app's registered redirect URIs (RFC 8252 §7).
public struct RedirectAddress: Sendable, Hashable, CustomStringConvertible {
    /// As it is sent, byte for byte.
    public let text: String

    /// - Parameter text: claimed https, a private-use scheme with a period, or http on loopback.
    /// - Throws: ``ClientError/configuration(_:)`` for an address that another app or host could receive.
    public init(_ text: String) throws(ClientError) {
        let scheme = text.prefix { $0 != ":" }
        let isWeb = scheme == "https" || scheme == "http"
        let isFit = isWeb ? SecureAddress(text) != nil : Self.isPrivateUse(scheme, in: text)
        guard isFit, !text.contains("#") else {
            throw .configuration("\(text) is no redirect address of a native app")
        }
        self.text = text
    }

    /// The address as text.
    public var description: String { text }

    /// What a claimed https address is known by (RFC 8252 §7.2).
    struct Claim: Equatable {
        let host: String
        /// Without the query, which an answer has of its own.
        let path: String
    }

    /// `nil` for an address of another kind, and for one with another port: hosts are claimed, ports are not.
    var claim: Claim? {
        guard let address = SecureAddress(text), !address.isLoopbackHTTP else { return nil }
        let rest = text.dropFirst("https://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        guard authority == address.host || authority == "\(address.host):443" else { return nil }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
        return Claim(host: address.host, path: path.isEmpty ? "/" : String(path))
    }

    var isPrivateUse: Bool { SecureAddress(text) == nil }

    /// `com.example.app:/callback`: a domain turned round, then one slash (RFC 8252 §7.1).
    private static func isPrivateUse(_ scheme: Substring, in text: String) -> Bool {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
        }
        return labels.count > 1 && isName && text.dropFirst(scheme.count).hasPrefix(":/")
            && !text.dropFirst(scheme.count).hasPrefix("://") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
