/// An absolute address that secrets may be sent to: https, or http on this machine.
///
/// Read by hand: parsers of URLs disagree about the odd ones, and here the odd ones are refused.
struct SecureAddress: Sendable, Equatable {
    let text: String
    /// Lower case, IPv6 in its brackets.
    let host: String
    let isLoopbackHTTP: Bool

    init?(_ text: String) {
        let isPlain = text.hasPrefix("http://")
        guard isPlain || text.hasPrefix("https://"), text.utf8.count <= 2_048,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.refused.contains($0) })
        else { return nil }
        let rest = text.dropFirst(isPlain ? 7 : 8)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let host = Self.host(of: authority) else { return nil }
        if isPlain { guard Self.loopbackHosts.contains(host) else { return nil } }
        self.text = text
        self.host = host
        isLoopbackHTTP = isPlain
    }

    private static let loopbackHosts: Set = ["127.0.0.1", "[::1]", "localhost"]
    /// A fragment, user information, and what browsers read as something else.
    private static let refused = Set("#@\\\"<>^`{|} ".utf8)

    private static func host(of authority: Substring) -> String? {
        var host = authority
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let port = authority[authority.index(after: colon)...]
            guard let number = UInt16(port), number > 0, port == "\(number)" else { return nil }
            host = authority[..<colon]
        }
        let name = host.lowercased()
        if name.hasPrefix("[") {
            let inner = name.dropFirst().dropLast()
            return name.hasSuffix("]") && !inner.isEmpty
                && inner.utf8.allSatisfy({ "0123456789abcdef:.".utf8.contains($0) }) ? name : nil
        }
        let isName = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains($0) }
        return isName && !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-") ? name : nil
    }
}
