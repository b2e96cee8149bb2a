/// Where a request goes, without query and fragment, in the one spelling that two spellings of it share
/// (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3).
package struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Returns: `nil` for what is not an `http` or `https` URI, or names a user.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2048, bytes.allSatisfy(ASCII.isVisible),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let scheme = Self.lowercased(bytes[..<colon])
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        guard let host = Self.host(authority, defaultPort: scheme == "https" ? "443" : "80") else { return nil }
        guard let path = Self.path(rest[authority.endIndex...]) else { return nil }
        description = "\(scheme)://\(host)\(path)"
    }

    /// The authority in lower case, without the scheme's own port.
    private static func host(_ authority: ArraySlice<UInt8>, defaultPort: String) -> String? {
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
        let end = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: UInt8(ascii: ":")) else { return lowercased(authority) }
        let port = authority[(colon + 1)...]
        guard colon > authority.startIndex, port.allSatisfy(ASCII.isDigit) else { return nil }
        return lowercased(port.isEmpty || port.elementsEqual(defaultPort.utf8) ? authority[..<colon] : authority)
    }

    /// The path with unreserved characters as themselves and all other escapes in upper case.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty else { return "/" }
        let path = PercentEncoding.replacingEscapes(in: bytes) { octet, output in
            if ASCII.isUnreserved(octet) {
                output.append(octet)
            } else {
                output += "%\(HexDigit.encode([octet]).uppercased())".utf8
            }
            return true
        }
        return path.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
