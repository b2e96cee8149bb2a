import Foundation

/// Says what goes on to a person who waits at a terminal; programs hear nothing of it.
func tell(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data((line + "\n").utf8))
}

/// Prints a line at once: a program that reads it may wait for it before we go on.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
