import ArgumentParser
import Bridge
import Foundation
import SQLStorage

/// What a command met, as the person who called it is told: whole sentences, with what to do where that is known.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    /// - Parameter database: what messages call the one that the command works on; asked for only where it is told of.
    /// - Returns: `nil` for how commands end otherwise: with a status, or with a misuse that the argument parser tells of.
    init?(_ error: any Error, in database: @autoclosure () -> String? = nil) {
        if error is ExitCode || error is CleanExit || error is ValidationError { return nil }
        if let failure = Self.refusal(error) {
            description = [failure.description, failure.remedy].compactMap(\.self).joined(separator: " ")
        } else if let missing = Self.missing(error) {
            description =
                "The database has no \(missing): it is damaged, or another program's. drawbridge check-config says "
                + "which database that is; drawbridge restore puts a backup in its place."
        } else if let error = error as? StorageError, let trouble = Self.trouble(error), let name = database() {
            description = "The database \(name) \(trouble)"
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

    /// The table or column that a database lacks. Nothing else of an engine's message, which could quote values.
    private static func missing(_ error: any Error) -> String? {
        guard case StorageError.corrupt(let text) = error else { return nil }
        if let found = text.firstMatch(of: /no such (table|column): ([A-Za-z0-9_.]+)/) {
            return "\(found.1) \(found.2)"
        }
        return text.firstMatch(of: /relation "([A-Za-z0-9_.]+)" does not exist/).map { "table \($0.1)" }
    }

    /// What a database as a whole suffers from. Of an engine's message only the code, with its general words: the rest could
    /// quote values.
    private static func trouble(_ error: StorageError) -> String? {
        let code = error.text.firstMatch(of: /^(SQLite|PostgreSQL) ([0-9A-Z]+)( \([^()]*\))?/)
        if case .corrupt(let text) = error {
            // SQLite's CORRUPT, FORMAT and NOTADB, and PostgreSQL's class of damage. With the others an engine refuses a
            // statement; without a code it answered, and not with what it was given.
            let isDamage =
                switch code.map({ ($0.1, $0.2) }) {
                case ("SQLite", let number)?: Int(number).map { [11, 24, 26].contains($0 & 0xFF) } ?? false
                case (_, let state)?: state.hasPrefix("XX")
                case nil: text.prefixMatch(of: /column [0-9]+ of the result is not\b/) != nil
                }
            if isDamage {
                return "is damaged: something in it cannot be read. drawbridge restore puts a backup in its place; see "
                    + "Restore in docs/operations.md."
            }
            // The words are our own, and quote no secret. A restore would cost what is whole.
            return code == nil ? "holds something that this program cannot use: \(closed(text))" : nil
        }
        guard case .unavailable(let text) = error else { return nil }
        guard let code else { return connectionTrouble(text) }
        let words = code.1 == "PostgreSQL" ? postgresWords[String(code.2)].map { " (\($0))" } ?? "" : ""
        return "cannot be used: \(code.0)\(words)."
    }

    /// What codes mean, in general words (PostgreSQL's manual, appendix A).
    private static let postgresWords = [
        "25006": "it is read-only, as a standby is", "42501": "the role may not do that", "53100": "its disk is full",
        "53200": "it has no memory left", "53300": "too many connections", "58030": "its disk fails",
    ]

    /// A server that accepts no connection gives no code that libpq would pass on.
    private static func connectionTrouble(_ text: String) -> String? {
        guard text.hasPrefix("PostgreSQL connection: ") else { return nil }
        let isFull = ["too many clients", "connection slots are reserved", "too many connections"].contains {
            text.contains($0)
        }
        return isFull
            ? "cannot be used: PostgreSQL 53300 (too many connections)."
            : "cannot be used: the connection to PostgreSQL failed."
    }

    /// Errors that complete a sentence elsewhere, such as "the directory … does not exist", as one by themselves.
    static func sentence(_ text: String) -> String {
        closed(text.first == "/" ? text : text.prefix(1).uppercased() + text.dropFirst())
    }

    private static func closed(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") || text.contains("\n") ? text : text + "."
    }
}
