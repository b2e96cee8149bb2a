import Bridge
import Foundation

/// A new password from the terminal or standard input; never from the arguments, which every process can read.
enum PasswordInput {
    /// Asks twice on a terminal; otherwise takes the first line of the input.
    static func read(prompt: String) throws -> Secret<String> {
        guard StandardInput.isTerminal else {
            guard let line = try StandardInput.line() else {
                throw CommandError("No password came on the standard input.")
            }
            return try checked(line)
        }
        let first = try ask("\(prompt): ")
        guard try ask("Once more: ") == first else { throw CommandError("The two passwords differ.") }
        return try checked(first)
    }

    private static func ask(_ prompt: String) throws -> String {
        guard let typed = getpass(prompt) else { throw CommandError("The terminal cannot be read.") }
        return try InputText.decoded(UnsafeRawBufferPointer(start: typed, count: strlen(typed)), from: "the terminal")
    }

    private static func checked(_ text: String) throws -> Secret<String> {
        let password = Secret(text)
        if let problem = PasswordRules.problem(with: password) { throw CommandError("The password \(problem).") }
        return password
    }
}
