import OAuth2

/// One line of an allow-list: `/a/b` exactly, or `/a/*` for everything below `/a/`.
package enum ReturnPathEntry: Hashable, Sendable {
    case exact(String)
    /// The prefix with its trailing slash.
    case below(String)

    /// `/*`.
    package static let anyPath = ReturnPathEntry.below("/")

    /// - Returns: `nil` unless the entry obeys the rules for paths (P1 to P5). A prefix entry cannot hold an
    ///   escape: percent-encoded paths are listed one by one, byte for byte.
    package init?(_ text: String) {
        let isPrefix = text.hasSuffix("/*")
        let path = isPrefix ? String(text.dropLast()) : text
        guard !path.utf8.contains(UInt8(ascii: "?")), !path.utf8.contains(UInt8(ascii: "*")),
            case .success = ReturnPath.parse(Array(path.utf8))
        else { return nil }
        if isPrefix {
            guard !path.utf8.contains(UInt8(ascii: "%")), !path.utf8.contains(UInt8(ascii: ";")) else { return nil }
            self = .below(path)
        } else {
            self = .exact(path)
        }
    }

    /// The entry as it is written in settings.
    package var text: String {
        switch self {
        case .exact(let path): path
        case .below(let prefix): prefix + "*"
        }
    }

    /// P7: case-sensitive, on bytes.
    func matches(_ candidate: ReturnPath) -> Bool {
        switch self {
        case .exact(let path):
            return candidate.path.hasSameBytes(as: path)
        case .below(let prefix):
            return candidate.path.utf8.starts(with: prefix.utf8)
                && candidate.path.utf8.dropFirst(prefix.utf8.count).allSatisfy(Self.isPlain)
        }
    }

    private static let plainPunctuation = Set("._~!$&'()*+,=:@/-".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || plainPunctuation.contains(byte)
    }
}
