import Bridge
import OAuth2

/// The master key as a file: 32 random bytes in base64url, readable by its owner alone.
enum MasterKeyFile {
    static func make(random: RandomSource = .system) -> String { random.text(32) }

    /// - Throws: ``PrivateFileError``, or ``MasterKeyFileError`` for a file that is missing or holds something else.
    static func load(_ path: String) throws -> MasterKey {
        guard let bytes = try read(path), let key = MasterKey(bytes.expose()) else {
            throw MasterKeyFileError(path: path, problem: .missing)
        }
        return key
    }

    /// - Parameter keys: of the database that it is for; what one master key has sealed no other opens.
    /// - Throws: as ``load(_:)``.
    static func load(_ path: String, opening keys: [SealedSigningKey]) throws -> MasterKey {
        let master = try load(path)
        guard let key = keys.first(where: { !$0.isOpened(by: master) }) else { return master }
        throw MasterKeyFileError(path: path, problem: .mismatch(keyID: key.id))
    }

    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``PrivateFileError``, or ``MasterKeyFileError`` for a file that holds something else.
    static func read(_ path: String) throws -> Secret<[UInt8]>? {
        guard let file = try PrivateFile.readIfThere(path) else { return nil }
        let text = String(decoding: file, as: UTF8.self)
        guard let bytes = Base64URL.decode(text.filter { !$0.isWhitespace }), MasterKey(bytes) != nil else {
            throw MasterKeyFileError(path: path, problem: .malformed)
        }
        return Secret(bytes)
    }
}

/// Why a master key cannot be used, and what to do.
struct MasterKeyFileError: Error, Hashable, CustomStringConvertible {
    enum Problem: Hashable {
        case missing
        case malformed
        /// The database has keys that another master key sealed.
        case mismatch(keyID: String)
    }

    let path: String
    let problem: Problem

    var description: String {
        switch problem {
        case .missing:
            "There is no master key: \(path) does not exist. For a database that has been in use put its master key "
                + "there; for a new one make it with `drawbridge keys init`."
        case .malformed: "\(path) is not a master key: it must hold 32 random bytes in base64url."
        case .mismatch(let keyID):
            "The master key \(path) does not open the key \(keyID) of the database: that was sealed with another "
                + "master key, or is damaged. Put the master key of this database there: another server of it has the "
                + "file. If it is lost, stop every server first; then `drawbridge keys retire --all --now` makes all "
                + "signing keys anew under the one that is there, and `drawbridge check-config --online` names the "
                + "users who need a new second factor."
        }
    }
}
