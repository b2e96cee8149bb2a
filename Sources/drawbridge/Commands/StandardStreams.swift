import Foundation

/// What a command says and is told: the process's own streams, unless a test brings others for its task.
struct StandardStreams: Sendable {
    @TaskLocal static var current = StandardStreams.ofProcess

    /// The stream that other programs read.
    let output: @Sendable ([UInt8]) throws -> Void
    /// The stream for people.
    let errors: @Sendable (String) -> Void
    /// The next line of the input; `nil` at its end.
    let line: @Sendable () -> String?
    /// All that is left of the input.
    let rest: @Sendable () throws -> Data
    /// Whether somebody types the input.
    let isTerminal: @Sendable () -> Bool
    /// Whether somebody watches the stream for people.
    let isWatched: @Sendable () -> Bool
    /// Whether the output goes to the same screen.
    let isOutputSeen: @Sendable () -> Bool

    private static let ofProcess = StandardStreams(
        output: { bytes in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(bytes))
            } catch {
                throw SystemFailure(error, doing: "write to standard output")
            }
        },
        // A closed pipe ends nothing: there is nobody left to tell.
        errors: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
        line: { readLine(strippingNewline: true) },
        rest: { try FileHandle.standardInput.readToEnd() ?? Data() },
        isTerminal: { isatty(STDIN_FILENO) == 1 },
        isWatched: { isatty(STDERR_FILENO) == 1 },
        isOutputSeen: { isatty(STDOUT_FILENO) == 1 })
}

/// The stream that other programs read.
enum StandardOutput {
    static func write(_ text: String) throws { try write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) throws { try StandardStreams.current.output(bytes) }

    /// Writes a line that was asked for: an answer, or a secret that is shown once.
    static func answer(_ line: some CustomStringConvertible) throws { try write("\(line)\n") }

    /// Writes a line that only says what was done; that stays done although nobody can be told.
    static func say(_ line: some CustomStringConvertible) { try? write("\(line)\n") }
}

/// The stream for people; what programs read goes to standard output.
enum StandardError {
    static func write(_ text: String) { StandardStreams.current.errors(text) }
}

/// What is typed, or comes from a file or another program: secrets above all, which are never arguments.
enum StandardInput {
    static var isTerminal: Bool { StandardStreams.current.isTerminal() }

    static func line() -> String? { StandardStreams.current.line() }

    static func rest() throws -> Data { try StandardStreams.current.rest() }

    /// The next line without any white space, as tokens are pasted; empty at the end of the input.
    static func token() -> String { (line() ?? "").filter { !$0.isWhitespace } }

    /// As ``token()``, where one must be.
    /// - Parameter mark: may stand in front of it.
    /// - Throws: ``CommandError``.
    static func requiredToken(behind mark: String = "") throws -> String {
        let line = Self.token()
        let found = line.hasPrefix(mark) ? String(line.dropFirst(mark.count)) : line
        guard !found.isEmpty else { throw CommandError("There is no token on standard input.") }
        return found
    }
}
