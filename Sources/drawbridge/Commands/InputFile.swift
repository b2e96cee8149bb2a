import Foundation

/// What a command was told to read: a file, a pipe, or `-` for the standard input.
struct InputFile {
    let path: String

    init(_ path: String) { self.path = path }

    private var name: String { path == "-" ? "the standard input" : path }

    func read() throws(SystemFailure) -> Data {
        guard path == "-" else { return Data(try WholeFile.read(path)) }
        do {
            return try StandardInput.rest()
        } catch {
            throw (error as? SystemFailure) ?? SystemFailure(error, doing: "read \(name)")
        }
    }

    func text() throws -> String { try InputText.decoded(read(), from: name) }
}

/// Text that somebody typed or wrote down. What is not UTF-8 is refused: repaired it would be another text than the one
/// that was meant, and of passwords many would become one.
enum InputText {
    /// - Parameter source: as messages call it.
    static func decoded(_ bytes: some Sequence<UInt8>, from source: String) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("Cannot read \(source): it is not text in UTF-8.")
        }
        return text
    }
}
