import Bridge
import Foundation
import OAuth2

/// The login token keys as the first version kept them: a file, which the database takes over at the first start
/// (ADR-0013).
enum LoginTokenKeyFile {
    private struct Document: Decodable {
        struct Key: Decodable {
            let kid: String
            let signsFrom: String
            let retiresAt: String?
            let secret: String

            enum CodingKeys: String, CodingKey {
                case kid, secret
                case signsFrom = "signs_from"
                case retiresAt = "retires_at"
            }
        }

        let format: String
        let keys: [Key]
    }

    static let format = "drawbridge-login-token-keys-v1"

    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``PrivateFileError`` for one that others can read; ``LoginTokenKeyFileError`` for one that is not
    ///   whole.
    static func read(_ path: String) throws -> [SecretKey]? {
        guard let bytes = try PrivateFile.readIfThere(path) else { return nil }
        return try keys(json: bytes, path: path)
    }

    static func keys(json: [UInt8], path: String) throws(LoginTokenKeyFileError) -> [SecretKey] {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch {
            // A decoder's error can quote what it read.
            throw LoginTokenKeyFileError(path: path, problem: "is not a key file")
        }
        guard document.format == format else {
            throw LoginTokenKeyFileError(path: path, problem: "has a format other than \(format)")
        }
        var keys: [SecretKey] = []
        for key in document.keys {
            let retiresAt = key.retiresAt.flatMap { Timestamp(rfc3339: $0) }
            guard let signsFrom = Timestamp(rfc3339: key.signsFrom), (retiresAt == nil) == (key.retiresAt == nil),
                let secret = Base64URL.decode(key.secret), secret.count >= SecretKey.shortestSecret,
                !key.kid.isEmpty
            else { throw LoginTokenKeyFileError(path: path, problem: "has a malformed key") }
            keys.append(
                SecretKey(id: key.kid, secret: Secret(secret), signsFrom: signsFrom, retiresAt: retiresAt))
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw LoginTokenKeyFileError(path: path, problem: "has two keys with one kid")
        }
        return keys
    }
}

/// Why a key file was not accepted; never quotes it.
struct LoginTokenKeyFileError: Error, Hashable, CustomStringConvertible {
    let path: String
    let problem: String

    var description: String { "\(path) \(problem)" }
}
