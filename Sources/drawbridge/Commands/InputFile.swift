import Foundation

/// What a command was told to read: a file, or `-` for the standard input.
struct InputFile {
    let path: String

    init(_ path: String) { self.path = path }

    func read() throws(SystemFailure) -> Data {
        do {
            return try path == "-"
                ? StandardInput.rest() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw SystemFailure(error, doing: "read \(path == "-" ? "the standard input" : path)")
        }
    }
}
