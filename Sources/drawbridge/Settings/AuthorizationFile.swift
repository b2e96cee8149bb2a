import Bridge
import Foundation
import OAuth2

/// A file with the value of an `Authorization` header.
enum AuthorizationFile {
    /// What is wrong with one.
    struct Malformed: Error, CustomStringConvertible {
        var description: String { "must hold one line, such as `Bearer …`" }
    }

    /// - Throws: also when others can read the file.
    static func read(_ path: String) throws -> Secret<String> {
        let text = String(decoding: try PrivateFile.read(path), as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isPrintable) else { throw Malformed() }
        return Secret(text)
    }
}
