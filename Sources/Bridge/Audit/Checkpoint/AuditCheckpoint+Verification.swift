import OAuth2

extension AuditCheckpoint {
    /// Reads the signed note of a checkpoint against trusted keys.
    /// - Returns: what is wrong, `nil` when nothing is.
    package func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        guard let note = SignedNote(note), let text = AuditCheckpointText(note.text),
            text.size == size, text.at == at, Base64URL.encode(text.hash) == hash
        else { return .checkpointMalformed }
        switch note.verdict(on: text.origin, of: node, trusting: keys) {
        case .signed: return nil
        case .badSignature: return .checkpointBadSignature
        case .foreignOrigin: return .checkpointMalformed
        case .unknownKey: return .checkpointUnknownKey
        }
    }
}

extension AuditCut {
    /// Reads the signed note of a cut against trusted keys; whether it was allowed is another question.
    /// - Returns: what is wrong, `nil` when nothing is.
    package func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        guard let note = SignedNote(note), let text = AuditCutText(note.text), text.through == through,
            text.retention == retention, text.isAdopted == isAdopted, text.at == at,
            Base64URL.encode(text.hash) == hash
        else { return .cutMalformed }
        switch note.verdict(on: text.origin, of: node, trusting: keys) {
        case .signed: return nil
        case .badSignature: return .cutBadSignature
        case .foreignOrigin: return .cutMalformed
        case .unknownKey: return .cutUnknownKey
        }
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
            // Whoever knows the key must reject the whole note when its signature fails (C2SP signed-note).
            guard key.isValid(signature.bytes, for: text) else { return .badSignature }
            // A good signature under another chain's text must not vouch for this one.
            guard origin == AuditCheckpointText.origin(keyName: key.name, node: node) else { return .foreignOrigin }
            isSigned = true
        }
        return isSigned ? .signed : .unknownKey
    }
}
