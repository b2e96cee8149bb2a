/// An https address that every reader understands alike.
///
/// Strict on purpose: an address that two parsers may read differently names two hosts, one that was checked and one
/// that gets the answer. So: lower-case scheme, no user, no fragment, a plain host, only the characters of RFC 3986.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// As it was written, to the byte.
    public let text: String
    /// In lower case: labels of letters, digits and hyphens, or an IPv4 address.
    public let host: String
    /// 443 when none is named.
    public let port: Int
    /// Path and query, at least `/`.
    public let target: String

    /// - Returns: `nil` for everything that is not as the type says.
    public init?(_ text: String) {
        let scheme = "https://"
        guard text.utf8.count <= 2048, text.hasPrefix(scheme), Self.isPlain(text) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first.flatMap(Self.host), parts.count <= 2 else { return nil }
        if parts.count == 2 {
            guard let port = Int(parts[1]), (1...65535).contains(port), "\(port)" == parts[1] else { return nil }
            self.port = port
        } else {
            port = 443
        }
        let target = rest.dropFirst(authority.count)
        self.text = text
        self.host = host
        self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
    }

    /// Scheme, host and port: what keeps one website from another.
    public var website: Website { Website(host: host, port: port) }

    /// The address as it was written.
    public var description: String { text }

    /// An IPv4 address and no name.
    public var isAddress: Bool { host.split(separator: ".").last?.first?.isNumber ?? false }

    /// Letters, digits and what RFC 3986 §2 lists besides, without brackets, and escapes that are whole.
    private static func isPlain(_ text: String) -> Bool {
        let punctuation = Set("-._~:/?@!$&'()*+,;=%".utf8)
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let character = Character(Unicode.Scalar(byte))
            guard byte < 0x80, character.isLetter || character.isNumber || punctuation.contains(byte) else {
                return false
            }
            if byte == UInt8(ascii: "%") {
                let escape = bytes.dropFirst(index + 1).prefix(2)
                guard escape.count == 2, escape.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                    return false
                }
            }
        }
        return true
    }

    private static func host(_ text: Substring) -> String? {
        let host = text.lowercased()
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { return nil }
        // Browsers read a name that ends in a number, hexadecimal too, as an address, in many spellings; only one here.
        if last.first?.isNumber ?? true {
            let numbers = labels.compactMap { label in UInt8(label).flatMap { "\($0)" == label ? $0 : nil } }
            guard labels.count == 4, numbers.count == 4 else { return nil }
        }
        return host
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// A website as a browser tells it from others. Each has a key of its own.
public struct Website: Hashable, Sendable, CustomStringConvertible {
    /// The host in lower case.
    public let host: String
    /// 443 nearly always.
    public let port: Int

    /// `https://example.com`, with the port when it is not 443.
    public var description: String { port == 443 ? "https://\(host)" : "https://\(host):\(port)" }

    /// As people read it: without the scheme.
    public var name: String { port == 443 ? host : "\(host):\(port)" }
}
