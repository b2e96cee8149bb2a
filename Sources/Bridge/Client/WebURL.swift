import OAuth2

/// An absolute web address that a client registers: `https`, or `http` on loopback; no user, no fragment.
///
/// Read by bytes: nothing is mended, so what is registered is what is called.
package struct WebURL: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let origin: WebOrigin

    package init?(_ text: String) {
        let allowed = "-._~:/?[]@!$&'()*+,;=%".utf8
        guard text.utf8.count <= 2048,
            text.utf8.allSatisfy({ ASCII.isLetterOrDigit($0) || allowed.contains($0) }),
            let authority = text.dropped(prefix: "https://") ?? text.dropped(prefix: "http://")
        else { return nil }
        let end = authority.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard let origin = WebOrigin(String(text[..<end])), origin.isSecure || origin.isLoopback else { return nil }
        self.origin = origin
        description = text
    }
}

extension String {
    fileprivate func dropped(prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
