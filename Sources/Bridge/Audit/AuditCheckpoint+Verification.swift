import OAuth2

extension AuditCheckpoint {
    /// Reads the signed note of a checkpoint against trusted keys.
    /// - Returns: what is wrong, `nil` when nothing is.
    func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        guard let note = SignedNote(note), let text = AuditCheckpointText(note.text),
            text.size == size, text.at == at, Base64URL.encode(text.hash) == hash
        else { return .checkpointMalformed }
        var isSigned = false
        for signature in note.signatures {
            guard let key = keys.first(where: { $0.keyID == signature.keyID && $0.name == signature.name }) else {
                continue
            }
            // Whoever knows the key must reject the whole note when its signature fails (C2SP signed-note).
            guard key.isValid(signature.bytes, for: note.text) else { return .checkpointBadSignature }
            // A good signature under another chain's text must not vouch for this one.
            guard text.origin == AuditCheckpointText.origin(keyName: key.name, node: node) else {
                return .checkpointMalformed
            }
            isSigned = true
        }
        return isSigned ? nil : .checkpointUnknownKey
    }
}
