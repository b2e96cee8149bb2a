/// What a browser makes of a `Location` that begins with a slash, at `https://www.example.com`: the states of the URL
/// Standard's parser that such a text can reach, written from the standard and from nothing of ours.
struct BrowserPath: Hashable, Sendable {
    /// Whether the browser goes to another host.
    let leavesHost: Bool
    let path: String
    let query: String?
    let fragment: String?

    init(_ location: [UInt8]) {
        var input = location[...]
        while let first = input.first, first <= 0x20 { input = input.dropFirst() }
        while let last = input.last, last <= 0x20 { input = input.dropLast() }
        var rest = input.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
        leavesHost = rest.prefix(2).count == 2 && rest.prefix(2).allSatisfy(Self.isSlash)
        let hash = rest.firstIndex(of: UInt8(ascii: "#"))
        fragment = hash.map { text(rest[($0 + 1)...]) }
        rest = rest[..<(hash ?? rest.endIndex)]
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        query = mark.map { Self.encoded(rest[($0 + 1)...], "\"#<>'") }
        path = Self.path(rest[..<(mark ?? rest.endIndex)])
    }

    /// The path state: dot segments go, whatever they are written as.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String {
        guard let first = bytes.first, isSlash(first) else { return "" }
        var kept: [String] = []
        let segments = bytes.dropFirst().split(omittingEmptySubsequences: false, whereSeparator: isSlash)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch text(segment).lowercased().replacing("%2e", with: ".") {
            case "..":
                kept = Array(kept.dropLast())
                if isLast { kept.append("") }
            case ".": if isLast { kept.append("") }
            default: kept.append(encoded(segment, "\"#<>?^`{}"))
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    private static func encoded(_ bytes: ArraySlice<UInt8>, _ set: String) -> String {
        bytes.map { byte in
            guard byte <= 0x20 || byte > 0x7E || set.utf8.contains(byte) else { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
}
