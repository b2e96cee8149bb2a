import ArgumentParser

/// The command line: one word for each thing an operator does.
@main
struct Drawbridge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge",
        abstract: "Carries a signed-in app onto the web with a one-time login token.",
        discussion: """
            Try it:       drawbridge demo
            Run it:       drawbridge serve --config /etc/drawbridge/drawbridge.yaml
            Before that:  drawbridge check-config --config /etc/drawbridge/drawbridge.yaml

            Settings come from flags, DRAWBRIDGE_… variables, secret files, the
            settings file and defaults, in this order. Every key is explained in
            Config/drawbridge.example.yaml.
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, CheckConfigCommand.self, MigrateCommand.self, ClientsCommand.self,
            UsersCommand.self, KeysCommand.self, AuditCommand.self, CopyCommand.self, ExplainCommand.self,
        ])
}
