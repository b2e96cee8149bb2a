import Crypto

/// SHA-256 of a text or of bytes: what is stored, compared or shown in their place.
package struct SHA256Hash: Sendable {
    package let bytes: [UInt8]

    /// - Parameter text: hashed as UTF-8.
    package init(of text: String) {
        var text = text
        let digest = text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        bytes = digest.withUnsafeBytes { Array($0) }
    }

    package init(of message: [UInt8]) {
        bytes = SHA256.hash(data: message).withUnsafeBytes { Array($0) }
    }

    /// 128 bits: what `at_hash` has (OpenID Connect Core §3.1.3.6), and enough for a name that nothing else may have.
    package var leftHalf: [UInt8] { Array(bytes.prefix(16)) }

    /// All of it, in 43 characters.
    package var base64URL: String { Base64URL.encode(bytes) }

    /// Whether a text has the form of ``base64URL``: 43 characters of its alphabet. The last of them may set bits that no
    /// encoder sets: such texts are compared as they are, so no hash equals that one.
    package static func isBase64URL(_ text: String) -> Bool {
        text.utf8.count == 43 && text.utf8.allSatisfy(ASCII.isBase64URL)
    }

    /// ``leftHalf`` in 22 characters.
    package var base64URLOfHalf: String { Base64URL.encode(leftHalf) }
}
