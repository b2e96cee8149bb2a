import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedString()
        return standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: `nil` for anything that ``encode(_:)`` would not have written: a key has one spelling.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: padded).map(Array.init), encode(bytes) == text else { return nil }
        return bytes
    }
}
