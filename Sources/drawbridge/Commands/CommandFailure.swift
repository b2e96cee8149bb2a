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
        if Self.refusal(error) != nil {
            description = Self.words(error)
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
        case PrivateFileError.system(let path, let code): SystemFailure(code: code, doing: "use \(path)", at: path)
        case let error as AuditSigningKeyFileError:
            switch error.problem {
            case .malformed: nil
            case .unreadable(let code):
                SystemFailure(code: code, doing: "read the audit signing key \(error.path)", at: error.path)
            case .unwritable(let code):
                SystemFailure(code: code, doing: "write the audit signing key \(error.path)", at: error.path)
            }
        case SQLiteOpenError.cannotOpen(let path, _): unopened(path)
        default: SystemFailure(error)
        }
    }

    /// SQLite has the same words for a missing right as for a missing file, and for the files beside its own: the system
    /// says which it is.
    /// - Returns: `nil` where nothing keeps this account from the files.
    private static func unopened(_ path: String) -> SystemFailure? {
        func failure(_ file: String, _ code: Int32) -> SystemFailure {
            SystemFailure(code: code, doing: "open \(file)", at: file)
        }
        // A lock's file that is missing could not be made; for which other reason is in the error already.
        if path.hasSuffix(".lock") { return FileRights.obstacle(to: path) == nil ? nil : failure(path, EACCES) }
        guard access(path, R_OK) == 0 else { return failure(path, errno) }
        for file in ["\(path)-wal", "\(path)-shm"] where access(file, R_OK | W_OK) != 0 && errno != ENOENT {
            return failure(file, errno)
        }
        return nil
    }

    /// What the system refused, in whole sentences with what to do; of any other error its own words.
    static func words(_ error: any Error) -> String {
        guard let failure = refusal(error) else { return "\(error)" }
        return [failure.description, failure.remedy].compactMap(\.self).joined(separator: " ")
    }

    /// Errors that complete a sentence elsewhere, such as "the directory … does not exist", as one by themselves.
    static func sentence(_ text: String) -> String {
        closed(text.first == "/" ? text : text.prefix(1).uppercased() + text.dropFirst())
    }

    static func closed(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") || text.contains("\n") ? text : text + "."
    }
}
