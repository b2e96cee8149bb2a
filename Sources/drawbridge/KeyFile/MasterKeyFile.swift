import Bridge
import OAuth2

/// The master key as a file: 32 random bytes in base64url, readable by its owner alone.
enum MasterKeyFile {
    static func make(random: RandomSource = .system) -> String { random.text(32) }

    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``PrivateFileError``, or ``MasterKeyFileError`` for a file that holds something else.
    static func read(_ path: String) throws -> Secret<[UInt8]>? {
        guard let text = try text(path) else { return nil }
        guard let bytes = Base64URL.decode(text.filter { !$0.isWhitespace }), MasterKey(bytes) != nil else {
            throw MasterKeyFileError(path: path)
        }
        return Secret(bytes)
    }

    // A function of its own: the compiler breaks on a typed throw that is caught halfway through.
    private static func text(_ path: String) throws -> String? {
        do {
            return String(decoding: try PrivateFile.read(path), as: UTF8.self)
        } catch PrivateFileError.missing {
            return nil
        }
    }
}

struct MasterKeyFileError: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is not a master key: it must hold 32 random bytes in base64url" }
}
