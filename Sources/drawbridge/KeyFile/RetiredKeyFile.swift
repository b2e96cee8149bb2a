import Bridge
import Foundation

/// The names of keys that were retired at once, one per line: a backup of the database that is older
/// does not bring them back (ADR-0013).
struct RetiredKeyFile: WithdrawnKeyRecord {
    let path: String

    /// - Throws: ``PrivateFileError``; a node that cannot read it must not start, or it might believe a stolen key.
    func ids() throws -> Set<String> {
        guard let bytes = try PrivateFile.readIfThere(path) else { return [] }
        return Set(bytes.split(separator: UInt8(ascii: "\n")).compactMap { String(validating: $0, as: UTF8.self) })
    }

    /// Appended, not replaced: several nodes may have one folder. A line that a crash cut short damages no other.
    func add(_ ids: Set<String>) throws {
        try PrivateFile.append(path, Array("\n\(ids.sorted().joined(separator: "\n"))\n".utf8))
    }
}
