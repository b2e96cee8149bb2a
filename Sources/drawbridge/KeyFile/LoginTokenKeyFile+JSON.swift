import Bridge
import Foundation
import OAuth2

extension LoginTokenKeyFile {
    private struct Document: Codable {
        struct Key: Codable {
            let kid: String
            let createdAt: String
            let signsFrom: String
            let retiresAt: String?
            let secret: String

            enum CodingKeys: String, CodingKey {
                case kid, secret
                case createdAt = "created_at"
                case signsFrom = "signs_from"
                case retiresAt = "retires_at"
            }
        }

        let format: String
        let keys: [Key]
    }

    /// Reads the file, refusing one that others can read or that is not whole.
    /// - Throws: ``LoginTokenKeyFileError``, which says how to make a file that is missing, or ``PrivateFileError``.
    static func read(_ path: String) throws -> LoginTokenKeyFile {
        do {
            return try LoginTokenKeyFile(json: try PrivateFile.read(path), path: path)
        } catch PrivateFileError.missing {
            throw LoginTokenKeyFileError(path: path, problem: "does not exist; make it with `drawbridge keys init`")
        }
    }

    init(json: [UInt8], path: String) throws(LoginTokenKeyFileError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch {
            // A decoder's error can quote what it read.
            throw LoginTokenKeyFileError(path: path, problem: "is not a key file")
        }
        guard document.format == Self.format else {
            throw LoginTokenKeyFileError(path: path, problem: "has a format other than \(Self.format)")
        }
        var entries: [Entry] = []
        for key in document.keys {
            guard let createdAt = Timestamp(rfc3339: key.createdAt), let signsFrom = Timestamp(rfc3339: key.signsFrom),
                let secret = Base64URL.decode(key.secret), secret.count >= Self.secretLength, !key.kid.isEmpty
            else { throw LoginTokenKeyFileError(path: path, problem: "has a malformed key") }
            let retiresAt = key.retiresAt.flatMap { Timestamp(rfc3339: $0) }
            guard (retiresAt == nil) == (key.retiresAt == nil) else {
                throw LoginTokenKeyFileError(path: path, problem: "has a malformed key")
            }
            entries.append(
                Entry(
                    id: key.kid, createdAt: createdAt, signsFrom: signsFrom, retiresAt: retiresAt,
                    secret: Secret(secret)))
        }
        guard Set(entries.map(\.id)).count == entries.count else {
            throw LoginTokenKeyFileError(path: path, problem: "has two keys with one kid")
        }
        self.init(entries: entries)
    }

    /// Replaces the file at `path`.
    func write(_ path: String) throws { try PrivateFile.replace(path, with: try json()) }

    /// As the file holds it.
    func json() throws -> [UInt8] {
        let document = Document(
            format: Self.format,
            keys: entries.map {
                Document.Key(
                    kid: $0.id, createdAt: $0.createdAt.rfc3339, signsFrom: $0.signsFrom.rfc3339,
                    retiresAt: $0.retiresAt?.rfc3339, secret: Base64URL.encode($0.secret.expose()))
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return Array(try encoder.encode(document)) + [UInt8(ascii: "\n")]
    }
}

/// Why a key file was not accepted; never quotes it.
struct LoginTokenKeyFileError: Error, Hashable, CustomStringConvertible {
    let path: String
    let problem: String

    var description: String { "\(path) \(problem)" }
}
