import OAuth2

extension AuditCursor {
    /// What clients get and give back; opaque to them.
    package var text: String {
        Base64URL.encode(Array("\(at.milliseconds) \(sequence) \(node)".utf8))
    }

    /// Reads ``text``.
    package init?(text: String) {
        guard text.utf8.count <= 2048, let bytes = Base64URL.decode(text),
            let plain = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let at = Int64(parts[0]), let sequence = Int64(parts[1]) else { return nil }
        self.init(at: Timestamp(milliseconds: at), node: String(parts[2]), sequence: sequence)
    }
}
