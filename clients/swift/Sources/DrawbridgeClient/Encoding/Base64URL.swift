import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().map { character -> Character in
            switch character {
            case "+": "-"
            case "/": "_"
            default: character
            }
        }
        return String(text.prefix { $0 != "=" })
    }

    /// - Returns: `nil` for anything that ``encode(_:)`` would not have written: a token has one spelling.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") }) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: padded).map(Array.init), encode(bytes) == text else { return nil }
        return bytes
    }
}
