import OAuth2

/// A path, with or without a query, that RFC 3986 parsers and browsers read alike (docs/rules/return-path.md).
///
/// The rules accept a small language of bytes and never mend: what is accepted is emitted byte for byte after an
/// origin of our own. `URL` and regular expressions are kept out, because they decide about something else than what
/// a browser does with `Location`.
package struct ReturnPath: Hashable, Sendable {
    package let path: String
    /// Without the question mark; `nil` when there is none or it is empty.
    package let query: String?

    /// Path and query as they are in a `Location`; a bare trailing `?` is dropped.
    package var serialized: String { query.map { "\(path)?\($0)" } ?? path }

    package static let maximumLength = 1024

    /// P1 to P6. Whether the path is listed is ``ReturnPathPolicy``'s question.
    package static func parse(_ input: [UInt8]) -> Result<ReturnPath, ReturnPathRefusal> {
        parse(input, upTo: maximumLength)
    }

    /// P1 to P6 for a path of ours that may be longer, because another one is in its query.
    static func parse(_ input: [UInt8], upTo length: Int) -> Result<ReturnPath, ReturnPathRefusal> {
        guard input.count <= length else { return .failure(.tooLong) }
        guard input.first == UInt8(ascii: "/"), input.count < 2 || input[1] != UInt8(ascii: "/"),
            input.allSatisfy(isAllowedByte)
        else { return .failure(.malformed) }
        let split = input.firstIndex(of: UInt8(ascii: "?")) ?? input.endIndex
        let path = input[..<split]
        let query = split == input.endIndex ? [] : input[(split + 1)...]
        guard isPath(path), isQuery(query) else { return .failure(.malformed) }
        return .success(
            ReturnPath(
                path: String(decoding: path, as: UTF8.self),
                query: query.isEmpty ? nil : String(decoding: query, as: UTF8.self)))
    }

    private static func isAllowedByte(_ byte: UInt8) -> Bool {
        guard ASCII.isVisible(byte) else { return false }
        return switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
            false
        default: true
        }
    }

    static func isPath(_ path: ArraySlice<UInt8>) -> Bool {
        guard let decoded = PercentEncoding.decode(bytes: path, refusing: isRefusedInPath),
            String(validating: decoded, as: UTF8.self) != nil
        else { return false }
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // An empty segment is only the one after a trailing slash.
        return segments.dropLast().allSatisfy { !$0.isEmpty } && !segments.contains(where: isDotSegment)
    }

    private static func isQuery(_ query: ArraySlice<UInt8>) -> Bool {
        guard let decoded = PercentEncoding.decode(bytes: query, refusing: { $0 < 0x20 || $0 == 0x7F }) else {
            return false
        }
        return String(validating: decoded, as: UTF8.self) != nil
    }

    private static func isRefusedInPath(_ octet: UInt8) -> Bool {
        guard octet >= 0x21, octet != 0x7F else { return true }
        return switch octet {
        case UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "."), UInt8(ascii: "?"),
            UInt8(ascii: "#"), UInt8(ascii: ";"):
            true
        default: false
        }
    }

    /// Only dots before any `;`: servers that strip path parameters read `..;x` as `..`.
    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        return !name.isEmpty && name.allSatisfy { $0 == UInt8(ascii: ".") }
    }
}
