package import Bridge

/// In the place of the key that signs audit logs, for tests that are not about signatures.
///
/// It pretends to sign, so that a log can be written, sealed and cut. Its notes have no signature and fail every
/// verification, and it believes nobody's.
package struct UnsignedCheckpoints: AuditNoteSigning {
    package init() {}

    package var trustedKeys: [AuditVerifierKey] { [] }

    package func sign(node: String, size: Int64, hash: String, at: Timestamp) -> AuditCheckpoint {
        AuditCheckpoint(node: node, size: size, at: at, hash: hash, note: "\(node)\n\(size)\n\(hash)\n")
    }

    package func signCut(
        node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp
    ) -> AuditCut {
        AuditCut(
            node: node, through: through, hash: hash, retention: retention, isAdopted: isAdopted, at: at, note: "")
    }
}
