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

    /// ``leftHalf`` in 22 characters.
    package var base64URLOfHalf: String { Base64URL.encode(leftHalf) }
}
