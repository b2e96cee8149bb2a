import DrawbridgeClient
import Foundation

/// Says what goes on to a person who waits at a terminal; programs hear nothing of it.
func tell(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}

/// Prints a line that only says what was done; that stays done although nobody can be told.
func say(_ line: String) { try? printResult(line) }

/// Prints a result at once: a program that reads it may wait for it before we go on.
/// - Throws: what ends the command with status 1 where nobody gets the result.
func printResult(_ line: String) throws(ClientError) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    } catch {
        throw .configuration("the result cannot be written to standard output")
    }
}

/// What comes from elsewhere, without what a terminal would obey.
func plain(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : Character($0) })
}
