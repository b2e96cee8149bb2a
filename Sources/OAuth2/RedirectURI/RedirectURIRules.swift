/// What a client may register as a redirect URI (docs/rules/authorization-request.md R1 to R6).
package struct RedirectURIRules: Hashable, Sendable {
    /// Public clients on a device may have loopback addresses and schemes of their own; others have `https` alone.
    package let isNative: Bool
    package let allowsLocalhost: Bool

    package init(isNative: Bool, allowsLocalhost: Bool = false) {
        self.isNative = isNative
        self.allowsLocalhost = allowsLocalhost
    }

    static let loopbackPrefixes = ["http://127.0.0.1", "http://[::1]", "http://localhost"]

    func check(_ uri: [UInt8]) throws(RedirectURIError) -> RedirectURI.Kind {
        guard (1...2048).contains(uri.count) else { throw .length }
        guard uri.allSatisfy(ASCII.isURIByte) else { throw .character }
        guard !uri.contains(UInt8(ascii: "*")) else { throw .wildcard }
        guard Self.hasWholeEscapes(uri) else { throw .escape }
        guard let colon = uri.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            uri[..<colon].allSatisfy({ ASCII.isLowercase($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { throw .scheme }
        let rest = uri[(colon + 1)...]
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        guard !path.split(separator: UInt8(ascii: "/")).contains(where: Self.isDots) else { throw .dotSegment }
        if uri[..<colon].elementsEqual("https".utf8) { return try Self.checkHTTPS(path) }
        if uri[..<colon].elementsEqual("http".utf8) { return try checkLoopback(uri) }
        guard isNative, Self.isReverseDomain(uri[..<colon]) else { throw .schemeOfTheApp }
        guard rest.first == UInt8(ascii: "/"), rest.dropFirst().first != UInt8(ascii: "/") else { throw .singleSlash }
        return .privateUse
    }

    private static func checkHTTPS(_ rest: ArraySlice<UInt8>) throws(RedirectURIError) -> RedirectURI.Kind {
        guard rest.starts(with: "//".utf8) else { throw .authority }
        let afterSlashes = rest.dropFirst(2)
        guard let slash = afterSlashes.firstIndex(of: UInt8(ascii: "/")) else { throw .path }
        let authority = afterSlashes[..<slash]
        let host = authority.prefix { $0 != UInt8(ascii: ":") }
        if host.count < authority.count, !isPort(authority.dropFirst(host.count + 1)) { throw .authority }
        guard isDomain(host), !host.elementsEqual("localhost".utf8),
            !host.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") })
        else { throw .authority }
        return .https
    }

    private func checkLoopback(_ uri: [UInt8]) throws(RedirectURIError) -> RedirectURI.Kind {
        guard isNative, let prefix = Self.loopbackPrefixes.first(where: { uri.starts(with: $0.utf8) }) else {
            throw .plainHTTP
        }
        var remainder = uri[prefix.utf8.count...]
        if remainder.first == UInt8(ascii: ":") {
            let port = remainder.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard Self.isPort(port) else { throw .plainHTTP }
            remainder = remainder.dropFirst(port.count + 1)
        }
        guard let first = remainder.first else { throw .path }
        // Anything else would make another host of it, such as 127.0.0.1.example.com or 127.0.0.1@example.com.
        guard first == UInt8(ascii: "/") else { throw .plainHTTP }
        guard allowsLocalhost || prefix != "http://localhost" else { throw .localhost }
        return .loopback
    }

    /// 1 to 65535, as a number is written.
    static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"), digits.allSatisfy(ASCII.isDigit) else {
            return false
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65_535
    }

    /// Lower-case letters, digits and hyphens in labels (RFC 1123 §2.1).
    private static func isDomain(_ host: ArraySlice<UInt8>) -> Bool {
        (1...253).contains(host.count)
            && host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy(isLabelByte)
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            }
    }

    private static func isReverseDomain(_ scheme: ArraySlice<UInt8>) -> Bool {
        let labels = scheme.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count > 1 && scheme.first.map(ASCII.isLowercase) == true
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy(isLabelByte) }
    }

    /// Whether a segment is `.` or `..`, also when a dot is written as `%2e`.
    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var rest = segment
        while let first = rest.first {
            if first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }

    private static func hasWholeEscapes(_ uri: [UInt8]) -> Bool {
        uri.indices.allSatisfy { index in
            uri[index] != UInt8(ascii: "%")
                || (index + 2 < uri.count && HexDigit.value(uri[index + 1]) != nil
                    && HexDigit.value(uri[index + 2]) != nil)
        }
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        ASCII.isLowercase(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
    }
}
