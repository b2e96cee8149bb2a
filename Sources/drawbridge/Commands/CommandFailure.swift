import ArgumentParser
import Bridge
import Foundation
import SQLStorage

/// What a command met, as the person who called it is told: whole sentences, with what to do where that is known.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    /// - Returns: `nil` for how commands end otherwise: with a status, or with a misuse that the argument parser tells of.
    init?(_ error: any Error) {
        if error is ExitCode || error is CleanExit || error is ValidationError { return nil }
        if let failure = Self.refusal(error) {
            description = [failure.description, failure.remedy].compactMap(\.self).joined(separator: " ")
        } else if let error = error as? StorageError {
            description = DatabaseFailure(database: nil, error: error).description
        } else if let error = error as? CommandError {
            // As it stands: one that begins with a name begins with the very letters of the name.
            description = Self.closed(error.description)
        } else {
            description = Self.sentence("\(error)")
        }
    }

    /// What the system refused.
    private static func refusal(_ error: any Error) -> SystemFailure? {
        switch error {
        case let failure as SystemFailure: failure
        case PrivateFileError.system(let path, let code): SystemFailure(code: code, doing: "use \(path)")
        case let error as AuditSigningKeyFileError:
            switch error.problem {
            case .malformed: nil
            case .unreadable(let code): SystemFailure(code: code, doing: "read the audit signing key \(error.path)")
            case .unwritable(let code): SystemFailure(code: code, doing: "write the audit signing key \(error.path)")
            }
        case SQLiteOpenError.cannotOpen(let path, _):
            // SQLite has the same words for a missing right as for a missing file: the system says which it is. Not of
            // a lock file, which is missing because it could not be made: why not is in the error already.
            access(path, R_OK) == 0 || path.hasSuffix(".lock") ? nil : SystemFailure(code: errno, doing: "open \(path)")
        default: SystemFailure(error)
        }
    }

    /// Errors that complete a sentence elsewhere, such as "the directory … does not exist", as one by themselves.
    static func sentence(_ text: String) -> String {
        closed(text.first == "/" ? text : text.prefix(1).uppercased() + text.dropFirst())
    }

    static func closed(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") || text.contains("\n") ? text : text + "."
    }
}
