import Foundation
import SelfIssuedIdP

/// Words for a person go to standard error, so that standard output holds results alone.
enum Terminal {
    static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    static func ask(_ question: String) -> String? {
        FileHandle.standardError.write(Data(question.utf8))
        return readLine()
    }

    /// Prints a result at once: a program that reads it may wait for it.
    static func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

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
