import OAuth2

/// A text with signatures, as C2SP signed-note writes it: text lines, a blank line, signature lines.
package struct SignedNote: Hashable, Sendable {
    /// One signature line: who signed, with which key.
    package struct Signature: Hashable, Sendable {
        package let name: String
        /// The first four bytes of the signature field: which key of that name.
        package let keyID: [UInt8]
        package let bytes: [UInt8]
    }

    /// What is signed: ends with a newline.
    package let text: String
    package let signatures: [Signature]

    /// What a note may measure, so that reading one costs little.
    private static let maximumLength = 16_384
    private static let maximumSignatures = 16

    package init(text: String, signatures: [Signature]) {
        self.text = text
        self.signatures = signatures
    }

    /// Reads a note; nothing is verified.
    package init?(_ note: String) {
        let bytes = Array(note.utf8)
        guard bytes.count <= Self.maximumLength, bytes.last == 0x0A,
            bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0A }),
            // The last blank line parts the text from the signatures; the text may have others.
            let blank = bytes.indices.dropLast().last(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
        else { return nil }
        text = String(decoding: bytes[...blank], as: UTF8.self)
        let lines = bytes[(blank + 2)...].dropLast().split(separator: 0x0A, omittingEmptySubsequences: false)
        guard !lines.isEmpty, lines.count <= Self.maximumSignatures else { return nil }
        var signatures: [Signature] = []
        for line in lines {
            guard let signature = Signature(line: String(decoding: line, as: UTF8.self)) else { return nil }
            signatures.append(signature)
        }
        self.signatures = signatures
    }

    /// The note as text.
    package var description: String {
        text + "\n" + signatures.map(\.line).joined()
    }

    /// Whether a key may have this name: not empty, no spaces, no plus.
    package static func isKeyName(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                !scalar.properties.isWhitespace && scalar != "+" && scalar.value >= 0x20 && scalar.value != 0x7F
            }
    }
}

extension SignedNote.Signature {
    /// An em dash, U+2014, begins the line.
    static let mark = "\u{2014} "

    fileprivate var line: String { "\(Self.mark)\(name) \(Base64.encode(keyID + bytes))\n" }

    /// Reads a signature line without its newline.
    init?(line: String) {
        guard line.hasPrefix(Self.mark) else { return nil }
        let parts = line.dropFirst(Self.mark.count).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, SignedNote.isKeyName(String(parts[0])), let field = Base64.decode(parts[1]),
            field.count > 4
        else { return nil }
        self.init(name: String(parts[0]), keyID: Array(field.prefix(4)), bytes: Array(field.dropFirst(4)))
    }
}

extension SignedNote {
    enum Verdict {
        case signed
        case badSignature
        /// Signed, but about another chain.
        case foreignOrigin
        case unknownKey
    }

    /// - Parameters:
    ///   - origin: what the text says it is about.
    ///   - node: whose chain it should be about.
    func verdict(on origin: String, of node: String, trusting keys: [AuditVerifierKey]) -> Verdict {
        var isSigned = false
        for signature in signatures {
            guard let key = keys.first(where: { $0.keyID == signature.keyID && $0.name == signature.name }) else {
                continue
            }
            // A verifier that knows the key must reject the whole note when its signature fails (C2SP signed-note).
            guard key.isValid(signature.bytes, for: text) else { return .badSignature }
            // A good signature under another chain's text must not vouch for this one.
            guard origin == AuditCheckpointText.origin(keyName: key.name, node: node) else { return .foreignOrigin }
            isSigned = true
        }
        return isSigned ? .signed : .unknownKey
    }
}
