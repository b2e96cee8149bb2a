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

/// What comes from elsewhere, without what a terminal would obey.
func plain(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : Character($0) })
}
