import Foundation

/// A second reading of the redirect rules, by characters and `components(separatedBy:)`, slow and plain.
enum RedirectURIOracle {
    private static let lower = "abcdefghijklmnopqrstuvwxyz"
    private static let digits = "0123456789"

    static func mayRegister(_ text: String, isNative: Bool, allowsLocalhost: Bool) -> Bool {
        let allowed = lower + lower.uppercased() + digits + "-._~:/?[]@!$&'()+,;=%"
        if text.isEmpty || text.utf8.count > 2048
            || !text.unicodeScalars.allSatisfy({ allowed.unicodeScalars.contains($0) })
        {
            return false
        }
        for behind in text.components(separatedBy: "%").dropFirst() {
            let pair = behind.prefix(2)
            if pair.count < 2 || !pair.allSatisfy({ (digits + "abcdefABCDEF").contains($0) }) { return false }
        }
        let beforeQuery = text.components(separatedBy: "?")[0]
        guard beforeQuery.contains(":") else { return false }
        let scheme = beforeQuery.components(separatedBy: ":")[0]
        let rest = String(beforeQuery.dropFirst(scheme.count + 1))
        for segment in rest.components(separatedBy: "/") {
            let plain = segment.replacingOccurrences(of: "%2e", with: ".").replacingOccurrences(of: "%2E", with: ".")
            if plain == "." || plain == ".." { return false }
        }
        switch scheme {
        case "https":
            guard let (host, port) = authority(of: rest) else { return false }
            let labels = host.components(separatedBy: ".")
            let isNumber = labels.allSatisfy { $0.allSatisfy(digits.contains) }
            return host != "localhost" && !isNumber && host.count <= 253 && port.map(isPort) ?? true
                && labels.allSatisfy {
                    !$0.isEmpty && $0.count <= 63 && $0.allSatisfy((lower + digits + "-").contains)
                        && !$0.hasPrefix("-") && !$0.hasSuffix("-")
                }
        case "http":
            guard isNative, let (host, port) = authority(of: rest), port.map(isPort) ?? true else { return false }
            return host == "127.0.0.1" || host == "[::1]" || (host == "localhost" && allowsLocalhost)
        default:
            let labels = scheme.components(separatedBy: ".")
            return isNative && labels.count >= 2
                && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy((lower + digits + "-").contains) }
                && lower.contains(scheme.prefix(1)) && rest.hasPrefix("/") && !rest.hasPrefix("//")
        }
    }

    /// Equal, or both on one loopback host with the same path and query and any good port.
    static func mayRequest(_ requested: String, registered: String) -> Bool {
        if Array(requested.unicodeScalars) == Array(registered.unicodeScalars) { return true }
        guard let (host, rest) = loopback(registered), let (otherHost, otherRest) = loopback(requested) else {
            return false
        }
        return host == otherHost && Array(rest.unicodeScalars) == Array(otherRest.unicodeScalars)
    }

    private static func loopback(_ text: String) -> (host: String, rest: String)? {
        guard text.unicodeScalars.starts(with: "http://".unicodeScalars) else { return nil }
        let behind = String(text.dropFirst(7))
        let authority = behind.components(separatedBy: "/")[0]
        guard behind.contains("/") else { return nil }
        let rest = String(behind.dropFirst(authority.count))
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            if authority == host { return (host, rest) }
            if authority.hasPrefix(host + ":"), isPort(String(authority.dropFirst(host.count + 1))) {
                return (host, rest)
            }
        }
        return nil
    }

    private static func authority(of rest: String) -> (host: String, port: String?)? {
        guard rest.hasPrefix("//") else { return nil }
        let behind = String(rest.dropFirst(2))
        guard behind.contains("/") else { return nil }
        let authority = behind.components(separatedBy: "/")[0]
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            let host = String(authority[...close])
            let rest = authority[authority.index(after: close)...]
            if rest.isEmpty { return (host, nil) }
            return rest.hasPrefix(":") ? (host, String(rest.dropFirst())) : nil
        }
        let parts = authority.components(separatedBy: ":")
        return parts.count <= 2 ? (parts[0], parts.count == 2 ? parts[1] : nil) : nil
    }

    private static func isPort(_ text: String) -> Bool {
        guard let number = Int(text), String(number) == text else { return false }
        return (1...65535).contains(number)
    }
}
