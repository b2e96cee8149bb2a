import ArgumentParser
import Foundation
import Logging

/// The command line: one word for each thing an operator does.
@main
struct Drawbridge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge",
        abstract: "Carries a signed-in app onto the web with a one-time login token.",
        discussion: """
            Examples:
              drawbridge demo
              drawbridge check-config --config /etc/drawbridge/drawbridge.yaml
              drawbridge serve --config /etc/drawbridge/drawbridge.yaml

            Settings come from flags, DRAWBRIDGE_… variables, secret files, the settings file and defaults, in \
            this order. Every key is explained in Config/drawbridge.example.yaml.
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, CheckConfigCommand.self, MigrateCommand.self, ClientsCommand.self,
            UsersCommand.self, KeysCommand.self, AuditCommand.self, CopyCommand.self, ExplainCommand.self,
            BackupCommand.self, RestoreCommand.self, VectorsCommand.self,
        ])

    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        if let problem = NamedCommand(words).problem {
            leave(saying: problem, NamedCommand(words).pointer, status: ExitCode.validationFailure)
        }
        do {
            let command = try parseAsRoot()
            // A command says by its own sentences why it failed: of the log only what else went wrong. The two that serve
            // set up theirs.
            if !(command is ServeCommand || command is DemoCommand) {
                LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: .error, form: .words) }
            }
            try await run(command)
            // What print buffered may meet a full disk only now; a list that is cut short is not a success.
            guard fflush(nil) == 0 else { throw SystemFailure(code: errno, doing: "write to standard output") }
        } catch {
            // What a start that failed has logged comes before why it failed.
            await JSONLogHandler.flush(within: .seconds(2))
            leave(with: error)
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        var command = command
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let misuse as ValidationError {
            // Of the command that was meant: what is met while it runs would be told with the usage of the whole.
            let pointer = NamedCommand(type(of: command)).pointer
            leave(saying: misuse.message, pointer, status: ExitCode.validationFailure)
        } catch  where exitCode(for: error).isSuccess {
            // What was asked for, such as help, comes as an error too.
            throw error
        } catch {
            throw CommandFailure(error) ?? error
        }
    }

    /// Says what an error says, help too, which comes as one.
    private static func leave(with error: any Error) -> Never {
        let status = exitCode(for: error)
        let hint = status == .validationFailure ? NamedCommand.dashHint(for: CommandLine.arguments.dropFirst()) : nil
        let text = UsageText.wrapped(fullMessage(for: error)) + (hint.map { "\n\($0)" } ?? "")
        if !text.isEmpty {
            if status.isSuccess { StandardOutput.say(text) } else { StandardError.write(text + "\n") }
        }
        exit(withError: status)
    }

    private static func leave(saying sentences: String..., status: ExitCode) -> Never {
        StandardError.write("Error: \(sentences.joined(separator: " "))\n")
        exit(withError: status)
    }
}
