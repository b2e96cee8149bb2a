import ArgumentParser
import Bridge
import BridgeHTTP

/// Says what is wrong with the settings, or prints those that would be in force.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check the settings and print what would be in force.",
        discussion: """
            Every line says where its value comes from. Secrets are never printed. Exit status 0 when the \
            settings are accepted, 1 when not. Warnings, which serve logs too, are about clients that could \
            never authenticate, about names of clients that the settings do not hold (the database may), \
            about a console or sign-in pages at the host of a website, about trusted proxies that may be \
            anybody, about a certificate that expires within 14 days, and about connections for which this \
            process may not open enough files.

            --online also asks what the settings lead to, a line each: a data folder that others can change, or \
            that this account cannot, key files, default_web_client, the secrets of webhooks, database (which is \
            only read: every page of an embedded one, and the clock of a shared one), Redis (where a key is \
            written and deleted again), the keys of issuers, upstream providers (to which our secret is shown), \
            the collector of spans, and our own origins (DNS, TLS, clock, and that we answer there). FAIL lines \
            end with status 1; note lines are what the first start will mend, or what may be meant so.

            --describe lists every setting there is, as JSON, and reads none.

            Examples:
              drawbridge check-config --config drawbridge.yaml
              drawbridge check-config --config drawbridge.yaml --online
              DRAWBRIDGE_LISTEN=127.0.0.1:9000 drawbridge check-config \\
                  --config drawbridge.yaml
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Ask databases, Redis, issuers, upstream providers, the collector and our own origins too.")
    var online = false

    @Flag(help: "List every setting with its name, kind, default and purpose, as JSON.") var describe = false

    @Argument(parsing: .allUnrecognized, help: "Single settings, as for serve: --login-token-lifetime 30s")
    var settings: [String] = []

    func run() async throws {
        if describe { return try StandardOutput.write(Listing(settings: SettingKey.all).text(as: .json) + "\n") }
        do {
            let inForce = try SettingsInForce(RawSettings.read(options.inputs(flags: settings)))
            try StandardOutput.answer(SettingsReport(inForce).text)
            let settings = inForce.settings
            _ = try SitePages(settings)
            let withAccounts = settings.problemsWithAccounts
            // Of a database on a server, --online tells.
            let location = StorageLocation(settings)
            if !withAccounts.isEmpty, location.database == nil, await location.hasAccounts() {
                throw SettingsRefused(problems: withAccounts)
            }
            let expiring = CertificateWarnings(in: settings, at: TimeSource.system.now()).sentences
            // Of this command's own process: under the account and the unit of the server, it is the server's.
            let fewer = OpenFiles.raised().warning(wanting: settings.listeners.connections.maximumConnections)
            for warning in SettingsWarnings.sentences(about: settings) + expiring + [fewer].compactMap(\.self) {
                StandardError.write("warning: \(warning)\n")
            }
            StandardError.write("The settings are accepted.\n")
            guard online else { return }
            let report = await OnlineReport.make(settings)
            try StandardOutput.answer(report.lines.joined(separator: "\n"))
            if !report.isGood { throw ExitCode.failure }
        } catch let refused as SettingsRefused {
            StandardError.write("\(refused)\n")
            throw ExitCode.failure
        }
    }
}

extension Listing {
    /// What every setting says of itself; the manual page is made of it (deploy/manual.py).
    init(settings: [SettingKey]) {
        self.init(
            columns: ["name", "expectation", "default", "required", "flag", "variable", "summary"],
            rows: settings.map { key in
                [
                    key.name, key.kind.expectation, key.fallback, key.isRequired ? "true" : nil,
                    key.kind == .objects ? nil : key.flag, key.kind == .objects ? nil : key.environmentName,
                    key.summary,
                ]
            })
    }
}
