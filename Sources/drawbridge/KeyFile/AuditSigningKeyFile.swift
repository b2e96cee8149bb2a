import Bridge
import Foundation

/// The key that signs checkpoints of the audit log as a file: one line of text, readable by its owner alone.
enum AuditSigningKeyFile {
    /// - Returns: `nil` when there is no such file.
    /// - Throws: ``PrivateFileError`` for one that others can read; ``AuditSigningKeyFileError`` for one that cannot be
    ///   read, or holds something else.
    static func read(_ path: String) throws -> AuditSigningKey? {
        guard let bytes = try bytes(path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = try? AuditSigningKey(text: Secret(text)) else {
            throw AuditSigningKeyFileError(path: path, problem: .malformed)
        }
        return key
    }

    /// - Throws: as ``read(_:)``, and for a file that is missing.
    static func load(_ path: String) throws -> AuditSigningKey {
        guard let key = try read(path) else {
            throw AuditSigningKeyFileError(path: path, problem: .unreadable(code: ENOENT))
        }
        return key
    }

    /// Reads the key, or makes it and the file when there is none.
    ///
    /// When two processes start at once, one makes the key and both use it. None is ever replaced: a key that is
    /// gone cannot vouch for its checkpoints. And its name is on the disk before it signs: checkpoints signed by a key
    /// that a power cut took away could never be verified.
    /// - Parameter name: whose it is, as notes that it signs say.
    static func loadOrMake(_ path: String, name: String, random: RandomSource = .system) throws -> AuditSigningKey {
        if let key = try read(path) { return key }
        try make(AuditSigningKey.generate(name: name, random: random), at: path)
        return try load(path)
    }

    /// Writes a key where there is none; a file that is there stays as it is.
    static func make(_ key: AuditSigningKey, at path: String) throws {
        do {
            _ = try PrivateFile.create(path, with: Array((key.text.expose() + "\n").utf8))
        } catch PrivateFileError.system(_, let code) {
            throw AuditSigningKeyFileError(path: path, problem: .unwritable(code: code))
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8]? {
        do {
            return try PrivateFile.readIfThere(path)
        } catch PrivateFileError.system(_, let code) {
            throw AuditSigningKeyFileError(path: path, problem: .unreadable(code: code))
        }
    }
}

/// Why the audit signing key's file cannot be used; never quotes it.
struct AuditSigningKeyFileError: Error, Hashable, CustomStringConvertible {
    enum Problem: Hashable {
        case malformed
        /// - Parameter code: the system's number for why.
        case unreadable(code: Int32)
        case unwritable(code: Int32)
    }

    let path: String
    let problem: Problem

    var description: String {
        switch problem {
        case .malformed: "the audit signing key \(path) is malformed: put the file back that was there before"
        case .unreadable(let code):
            "the audit signing key \(path) cannot be read: \(String(cString: strerror(code)))"
        case .unwritable(let code):
            "the audit signing key \(path) cannot be written: \(String(cString: strerror(code)))"
        }
    }
}
