import Foundation

/// A file for as long as a closure runs.
enum TemporaryFile {
    static func with(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }
}
