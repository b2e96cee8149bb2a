import ArgumentParser
import SelfIssuedIdP

/// Sets or takes off the PIN.
struct PINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Put the keys under a PIN, change it, or take it off.",
        discussion: """
            With a PIN, every answer asks for it, and keys are sealed (AES-256-GCM under scrypt). Whoever copies \
            the files can try PINs at home, each for some tenths of a second: six digits last for days, a \
            sentence for ever. A forgotten PIN cannot be found again.
            """,
        subcommands: [Set.self, Remove.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the PIN, or change it.", usage: "drawbridge-phone pin set [<options>]")
        @OptionGroup var options: StoreOptions

        @Option(name: .customLong("new-pin-file"), help: "Read the new PIN from the first line of this file.")
        var newPINFile: String?

        func run() async throws {
            guard let new = newPINFile.map(PINFile.read) ?? typed() else {
                throw ExitStatus.usage.end(saying: "no new PIN was given, or it was typed differently the second time")
            }
            guard new.expose().count >= 4 else { throw ExitStatus.usage.end(saying: "a PIN has 4 characters or more") }
            try await ExitStatus.after { () async throws(PhoneRefusal) in try await options.keys().setPIN(new) }
            Terminal.say("The keys are under the new PIN.")
        }

        private func typed() -> Redacted<String>? {
            guard let first = Terminal.secret("New PIN: "), let second = Terminal.secret("Again: "),
                first.expose() == second.expose()
            else { return nil }
            return first
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take the PIN off.")
        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await ExitStatus.after { () async throws(PhoneRefusal) in try await options.keys().removePIN() }
            Terminal.say("The keys are without a PIN.")
        }
    }
}
