import Foundation
import Synchronization

/// What a command says and is told: the process's own streams, unless a test brings others for its task.
struct StandardStreams: Sendable {
    @TaskLocal static var current = StandardStreams.ofProcess

    /// The stream that other programs read.
    let output: @Sendable ([UInt8]) throws -> Void
    /// The stream for people.
    let errors: @Sendable (String) -> Void
    /// The next line of the input, without its end; `nil` when there is none any more.
    let line: @Sendable () -> [UInt8]?
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
        line: { ProcessInput.shared.line() },
        rest: { try ProcessInput.shared.rest() },
        isTerminal: { isatty(STDIN_FILENO) == 1 },
        isWatched: { isatty(STDERR_FILENO) == 1 },
        isOutputSeen: { isatty(STDOUT_FILENO) == 1 })
}

/// The process's own input, as bytes: the standard library's lines are repaired where they are not UTF-8.
private final class ProcessInput: Sendable {
    static let shared = ProcessInput()

    /// What was read behind the last line.
    private let read = Mutex<[UInt8]>([])

    func line() -> [UInt8]? {
        read.withLock { read in
            var searched = 0
            while true {
                if let end = read[searched...].firstIndex(of: 0x0A) {
                    defer { read.removeFirst(end + 1) }
                    return Self.withoutReturn(read[..<end])
                }
                searched = read.count
                let isEnded = Self.readMore(into: &read)
                guard isEnded else { continue }
                defer { read = [] }
                return read.isEmpty ? nil : read
            }
        }
    }

    func rest() throws -> Data {
        try read.withLock { read in
            defer { read = [] }
            return Data(read) + Data(try WholeFile.rest(of: STDIN_FILENO, doing: "read the standard input"))
        }
    }

    private static func withoutReturn(_ line: ArraySlice<UInt8>) -> [UInt8] {
        Array(line.last == 0x0D ? line.dropLast() : line)
    }

    /// - Returns: whether there is no more; what cannot be read says nothing either.
    private static func readMore(into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return true }
            bytes += buffer[..<count]
            return false
        }
    }
}

/// The stream that other programs read.
enum StandardOutput {
    static func write(_ text: String) throws { try write(Array(text.utf8)) }

    static func write(_ bytes: [UInt8]) throws { try StandardStreams.current.output(bytes) }

    /// Writes a line that was asked for.
    static func answer(_ line: some CustomStringConvertible) throws { try write("\(line)\n") }

    /// Writes what is shown once, after it has come into force.
    /// - Parameter unseen: what that means where nobody could see it, and what to do, as a sentence.
    static func show(_ text: String, unseen: String) throws {
        do {
            try write(text)
        } catch {
            throw CommandError("\(error) \(unseen)")
        }
    }

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

    /// - Throws: ``CommandError`` for what is not UTF-8.
    static func line() throws -> String? {
        try StandardStreams.current.line().map { try InputText.decoded($0, from: "the standard input") }
    }

    static func rest() throws -> Data { try StandardStreams.current.rest() }

    /// The next line without any white space, as tokens are pasted; empty at the end of the input.
    static func token() throws -> String { (try line() ?? "").filter { !$0.isWhitespace } }

    /// As ``token()``, where one must be.
    /// - Parameter mark: may stand in front of it.
    /// - Throws: ``CommandError``.
    static func requiredToken(behind mark: String = "") throws -> String {
        let line = try Self.token()
        let found = line.hasPrefix(mark) ? String(line.dropFirst(mark.count)) : line
        guard !found.isEmpty else { throw CommandError("There is no token on standard input.") }
        return found
    }
}
