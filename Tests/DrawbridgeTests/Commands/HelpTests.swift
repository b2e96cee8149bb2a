import ArgumentParser
import Testing

@testable import drawbridge

@Suite struct HelpTests {
    /// Every command with its way from `drawbridge`.
    private static func all(
        from root: any ParsableCommand.Type = Drawbridge.self
    ) -> [any ParsableCommand.Type] {
        [root] + root.configuration.subcommands.flatMap { all(from: $0) }
    }

    @Test func `no example is broken at 80 columns`() {
        let commands = Self.all()
        #expect(commands.count > 30)
        for command in commands {
            let source = command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix(" ") }
            let shown = Set(Drawbridge.helpMessage(for: command, columns: 80).split(separator: "\n").map(String.init))
            for line in source {
                #expect(line.count <= 76, "\(command._commandName)")
                #expect(shown.contains(String(line)), "\(command._commandName): \(line)")
            }
        }
    }

    @Test func `no line of the help is wider than 80 columns, the usage neither`() {
        for command in Self.all() {
            let help = UsageText.wrapped(Drawbridge.helpMessage(for: command, columns: 80))
            for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(command._commandName): \(line)") }
        }
    }

    @Test func `a usage is broken between options, and nothing of it is lost`() {
        let first = "USAGE: drawbridge x [--data <data>] [--config <config>] --reason <reason>"
        let second = "[--checkpoint <checkpoint> ...] <id>"
        let lines = UsageText.wrapped("a\n\n\(first) \(second)\n")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines == ["a", "", first, "       \(second)", ""])
    }

    @Test func `a misspelt option of keys retire is compared with all that it has`() {
        let lines = Drawbridge.helpMessage(for: KeysCommand.Retire.self, columns: 200).split(separator: "\n")
        let options = lines.filter { $0.hasPrefix("  --") }.map { String($0.dropFirst(2).prefix { $0 != " " }) }
        #expect(options.filter { $0 != "--version" }.sorted() == KeysCommand.Retire.optionNames)
    }

    /// As the README says.
    @Test func `help has examples of each command, and a command's own of what it does itself`() {
        for command in Self.all() {
            let name = NamedCommand(command).name
            let lines = command.configuration.discussion.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("Example") }, "\(name)")
            guard command.configuration.subcommands.isEmpty else { continue }
            #expect(lines.contains { $0.hasPrefix(" ") && $0.contains(name) }, "\(name)")
        }
    }

    /// What is broken in the source is broken once more at the terminal's width.
    @Test func `a paragraph is one line of the source`() {
        for command in Self.all() {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where !line.isEmpty && !line.hasPrefix(" ") {
                #expect(next.isEmpty || next.hasPrefix(" "), "\(command._commandName): \(line)")
            }
        }
    }

    @Test func `help names people without saying who they are`() {
        for command in Self.all() {
            let words = Drawbridge.helpMessage(for: command, columns: 200).split { !$0.isLetter }
            #expect(words.allSatisfy { !["his", "him", "he"].contains($0) }, "\(command._commandName)")
        }
    }
}
