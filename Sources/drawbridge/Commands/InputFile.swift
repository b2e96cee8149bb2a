import Foundation

/// What a command was told to read: a file, or `-` for the standard input.
struct InputFile {
    let path: String

    init(_ path: String) { self.path = path }

    func read() throws(CommandError) -> Data {
        do {
            return try path == "-"
                ? StandardInput.rest() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandError("\(path) cannot be read.")
        }
    }
}
