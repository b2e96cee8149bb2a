import Bridge
import OAuth2

/// An address that we fetch from: `https`, or `http` on loopback.
package struct EndpointURL: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// Scheme, host and port.
    package let origin: String

    /// - Returns: `nil` for another scheme, a user part, a query or fragment where none may be, or bytes that a URL
    ///   cannot hold.
    package init?(_ text: String, allowingQuery: Bool = true) {
        guard text.utf8.count <= 2048, let schemeEnd = text.utf8.end(ofFirst: "://") else { return nil }
        let authority = text[schemeEnd...].prefix { !"/?#".contains($0) }
        let origin = text[..<authority.endIndex]
        let rest = text[authority.endIndex...]
        guard let webOrigin = WebOrigin(String(origin)), webOrigin.isSecure || webOrigin.isLoopback,
            // A query may follow the host at once (RFC 3986 §3.3), as in what a client registers (``WebURL``).
            rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?"),
            rest.utf8.allSatisfy({ ASCII.isVisible($0) && !"#\"<>\\^`{|}".utf8.contains($0) }),
            allowingQuery || !rest.contains("?")
        else { return nil }
        description = text
        self.origin = webOrigin.description
    }
}

extension String.UTF8View {
    /// The index after the first occurrence of a text.
    fileprivate func end(ofFirst text: String) -> Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].starts(with: text.utf8) { return index(start, offsetBy: text.utf8.count) }
            start = index(after: start)
        }
        return nil
    }
}
