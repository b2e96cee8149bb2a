import Bridge
import Crypto
import Foundation
import OAuth2

/// The Ed25519 key that signs audit checkpoints, as it lies on disk.
enum AuditSigningKeyFile {
    private struct Document: Codable {
        let format: String
        let name: String
        let secret: String
    }

    static let format = "drawbridge-audit-signing-key-v1"

    /// Reads the key; makes one at the first start.
    /// - Parameter name: what a new key calls itself in the notes it signs.
    static func readOrMake(_ path: String, name: String) throws -> AuditSigningKey {
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile.read(path)
        } catch PrivateFileError.missing {
            let key = AuditSigningKey(name: name, privateKey: Curve25519.Signing.PrivateKey())
            try write(key, to: path)
            return key
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
            document.format == Self.format, let secret = Base64URL.decode(document.secret),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        else { throw LoginTokenKeyFileError(path: path, problem: "is not an audit signing key") }
        return AuditSigningKey(name: document.name, privateKey: key)
    }

    private static func write(_ key: AuditSigningKey, to path: String) throws {
        let document = Document(
            format: Self.format, name: key.name, secret: Base64URL.encode(Array(key.privateKey.rawRepresentation)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try PrivateFile.replace(path, with: Array(try encoder.encode(document)) + [UInt8(ascii: "\n")])
    }
}

/// Signs checkpoints as C2SP signed notes.
struct AuditSigningKey: AuditCheckpointSigning {
    let name: String
    let privateKey: Curve25519.Signing.PrivateKey

    func sign(node: String, size: Int64, hash: String, at: Timestamp) throws -> AuditCheckpoint {
        let text = "\(name)/\(node)\n\(size)\n\(hash)\n\(at.rfc3339)\n"
        let publicKey = Array(privateKey.publicKey.rawRepresentation)
        let keyID = Array(SHA256.hash(data: Array(name.utf8) + [0x0A, 0x01] + publicKey).prefix(4))
        let signature = Array(try privateKey.signature(for: Array(text.utf8)))
        let line = Data(keyID + signature).base64EncodedString()
        return AuditCheckpoint(
            node: node, size: size, at: at, hash: hash, note: "\(text)\n\u{2014} \(name) \(line)\n")
    }
}
