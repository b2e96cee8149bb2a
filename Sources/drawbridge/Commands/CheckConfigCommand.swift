import ArgumentParser

/// Says what is wrong with the settings, or prints those that would be in force.
struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the settings and print what would be in force.",
        discussion: """
            Every line says where its value comes from. Secrets are never printed. Exit status 0 when the settings are
            accepted, 1 when not. Warnings, which serve logs too, are about clients that could never authenticate, about
            names of clients that the settings do not hold (the database may), and about a console or sign-in pages at
            the host of a website.

            Example:  drawbridge check-config --config drawbridge.yaml
                      DRAWBRIDGE_LISTEN=127.0.0.1:9000 drawbridge check-config --config drawbridge.yaml
            """)

    @OptionGroup var options: SettingsOptions

    @Argument(parsing: .allUnrecognized, help: "Single settings, as for serve: --login-token-lifetime 30s")
    var settings: [String] = []

    func run() throws {
        do {
            let inForce = try SettingsInForce(RawSettings.read(options.inputs(flags: settings)))
            print(SettingsReport(inForce).text)
            let settings = inForce.settings
            for warning in ClientWarnings(in: settings).sentences + OriginWarnings(in: settings).sentences {
                StandardError.write("warning: \(warning)\n")
            }
        } catch {
            StandardError.write("\(error)\n")
            throw ExitCode.failure
        }
    }
}
