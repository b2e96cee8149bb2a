import Crypto
import Foundation
import OAuth2

/// The Ed25519 key that signs checkpoints and cuts of the audit chain.
package struct AuditSigningKey: AuditNoteSigning {
    /// Why a key cannot be used.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case invalidName
        case malformed
        /// A signature was asked for something that is not a hash.
        case invalidHash

        package var description: String {
            switch self {
            case .invalidName: "the name of the audit signing key must have no space and no plus"
            case .malformed: "the audit signing key is malformed: put the file back that was there before"
            case .invalidHash: "what is to be signed is no hash"
            }
        }
    }

    package let verifierKey: AuditVerifierKey
    private let seed: Secret<[UInt8]>

    /// - Parameters:
    ///   - name: whose log it is, best as `host/path` of the service: no spaces, no plus.
    ///   - seed: 32 random bytes.
    package init(name: String, seed: Secret<[UInt8]>) throws {
        guard SignedNote.isKeyName(name) else { throw Problem.invalidName }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed.expose()) else {
            throw Problem.malformed
        }
        self.seed = seed
        verifierKey = AuditVerifierKey(name: name, publicKey: Array(key.publicKey.rawRepresentation))
    }

    package static func generate(name: String, random: RandomSource = .system) throws -> AuditSigningKey {
        try AuditSigningKey(name: name, seed: Secret(random.bytes(32)))
    }

    package var trustedKeys: [AuditVerifierKey] { [verifierKey] }

    package func sign(node: String, size: Int64, hash: String, at: Timestamp) throws -> AuditCheckpoint {
        let at = at.writable
        let text = AuditCheckpointText(origin: origin(of: node), size: size, hash: try bytes(of: hash), at: at)
        return AuditCheckpoint(node: node, size: size, at: at, hash: hash, note: try note(text.description))
    }

    package func signCut(
        node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp
    ) throws -> AuditCut {
        let at = at.writable
        let text = AuditCutText(
            origin: origin(of: node), through: through, hash: try bytes(of: hash), retention: retention,
            isAdopted: isAdopted, at: at)
        return AuditCut(
            node: node, through: through, hash: hash, retention: retention, isAdopted: isAdopted, at: at,
            note: try note(text.description))
    }

    private func origin(of node: String) -> String {
        AuditCheckpointText.origin(keyName: verifierKey.name, node: node)
    }

    private func bytes(of hash: String) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(hash), bytes.count == 32 else { throw Problem.invalidHash }
        return bytes
    }

    /// The text with its signature.
    private func note(_ text: String) throws -> String {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed.expose())
        let signature = SignedNote.Signature(
            name: verifierKey.name, keyID: verifierKey.keyID, bytes: Array(try key.signature(for: Array(text.utf8))))
        return SignedNote(text: text, signatures: [signature]).description
    }

    /// The text form that other signed-note tools read: `PRIVATE+KEY+<name>+<key id>+<base64 of 0x01 and the seed>`.
    package var text: Secret<String> {
        let field = Base64.encode([AuditVerifierKey.ed25519] + seed.expose())
        return Secret("\(Self.prefix)\(verifierKey.name)+\(HexDigit.encode(verifierKey.keyID))+\(field)")
    }

    /// Reads ``text``.
    package init(text: Secret<String>) throws {
        let text = text.expose()
        let parts = text.dropFirst(Self.prefix.count).split(
            separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.prefix), parts.count == 3, let field = Base64.decode(parts[2]), field.count == 33,
            field[0] == AuditVerifierKey.ed25519
        else { throw Problem.malformed }
        try self.init(name: String(parts[0]), seed: Secret(Array(field.dropFirst())))
        guard HexDigit.encode(verifierKey.keyID) == parts[1] else { throw Problem.malformed }
    }

    private static let prefix = "PRIVATE+KEY+"
}
