import ArgumentParser
import Foundation
import SelfIssuedIdP

/// Words for a person go to standard error, so that standard output holds results alone.
enum Terminal {
    /// What cannot be shown ends nothing: there is nobody who reads it.
    static func say(_ line: String) { _ = show(line + "\n") }

    /// - Returns: `nil` also where the question cannot be shown: whoever did not see it agrees to nothing.
    static func ask(_ question: String) -> String? { show(question) ? readLine() : nil }

    private static func show(_ text: String) -> Bool {
        (try? FileHandle.standardError.write(contentsOf: Data(text.utf8))) != nil
    }

    /// Prints a result at once: a program that reads it may wait for it.
    /// - Throws: the status that ends the process where nobody gets the result.
    static func write(_ line: String) throws(ExitCode) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            throw ExitStatus.store.end(saying: "the result cannot be written to standard output")
        }
    }

    /// Asks on the terminal itself, without showing what is typed.
    /// - Returns: `nil` without a terminal, or when nothing was typed.
    static func secret(_ question: String) -> Redacted<String>? {
        guard let terminal = fopen("/dev/tty", "r+") else { return nil }
        defer { fclose(terminal) }
        let descriptor = fileno(terminal)
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else { return nil }
        defer { tcsetattr(descriptor, TCSAFLUSH, &settings) }
        fputs(question, terminal)
        fflush(terminal)
        var buffer = [CChar](repeating: 0, count: 1024)
        guard fgets(&buffer, Int32(buffer.count), terminal) != nil else { return nil }
        fputs("\n", terminal)
        let typed = String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return typed.isEmpty ? nil : Redacted(typed)
    }
}
