import Bridge
import OAuth2

/// The safety net under the rule that no secret is logged: finds what has the form of one.
enum SecretRedactor {
    /// How our opaque secrets begin, and how every JWT with a JSON header does (`{"` in base64url).
    private static let beginnings = OpaqueSecret.Kind.allCases.map { Array($0.rawValue.utf8) } + [Array("eyJ".utf8)]

    /// The text with every secret in it replaced by `[redacted]`.
    static func redact(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            let startsWord = index == 0 || !isSecretByte(bytes[index - 1])
            if startsWord, beginnings.contains(where: { rest.starts(with: $0) }) {
                let length = rest.prefix(while: isSecretByte).count
                // Shorter words are only words.
                if length >= 20 {
                    output.append(contentsOf: "[redacted]".utf8)
                    index += length
                    continue
                }
            }
            output.append(bytes[index])
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isSecretByte(_ byte: UInt8) -> Bool {
        ASCII.isNameByte(byte)
    }
}
