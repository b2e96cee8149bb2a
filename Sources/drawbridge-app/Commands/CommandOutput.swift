import Foundation

/// Prints a line at once: a program that reads it may wait for it before we go on.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
