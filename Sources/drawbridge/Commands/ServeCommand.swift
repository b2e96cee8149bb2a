import ArgumentParser
import Bridge
import BridgeHTTP
import Foundation
import Logging

/// Runs the server until SIGTERM.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            SIGTERM and SIGINT finish what is in flight and end it with status 0. SIGHUP rereads the \
            clients of the settings file with default_web_client, certificates, and the files of keys and \
            secrets of issuers and upstream providers. Logs are JSON lines: the access log on standard output, everything else on \
            standard error. Settings that are not accepted end it with status 78.

            Examples:
              drawbridge keys init --config drawbridge.yaml
              drawbridge serve --config drawbridge.yaml
              DRAWBRIDGE_CONFIG=drawbridge.yaml drawbridge serve \\
                  --login-token-lifetime 30s
            """)

    @OptionGroup var options: SettingsOptions

    @Argument(parsing: .allUnrecognized, help: "Single settings: --login-token-lifetime 30s")
    var overrides: [String] = []

    func run() async throws {
        AllocatorArenas.limit()
        let process = await ServingProcess()
        let inForce = try options.loadInForce(flags: overrides)
        let settings = inForce.settings
        JSONLogHandler.bootstrap(level: settings.process.logLevel)
        let logger = Logger(label: "drawbridge")
        for warning in SettingsWarnings.sentences(about: settings) {
            logger.warning("\(warning)")
        }
        // Before the database is made: its keys would open with this master key alone.
        _ = try MasterKeyFile.load(settings.storage.masterKeyPath)
        try await DatabaseFailure.naming(StorageLocation(settings).databaseName) {
            try await serve(inForce, in: process, logger: logger)
        }
    }

    private func serve(_ inForce: SettingsInForce, in process: ServingProcess, logger: Logger) async throws {
        let settings = inForce.settings
        // First: a start may wait for the database, and files may change meanwhile.
        let start = SettingsFingerprint(inForce.raw)
        // Before the database is opened: a second server beside one that runs must leave nothing there.
        try ListenError.check(settings)
        let watch = AuditWatch()
        let storage = try await ServerStorage.open(settings, watch: watch, logger: logger)
        let inputs = options.inputs(flags: overrides)
        let composition: Composition
        do {
            composition = try await Composition(
                settings: settings, storage: storage, accessLog: .writing(to: .standardOutput), logger: logger,
                watch: watch,
                rereadClients: { ConfiguredClients(try SettingsInForce(RawSettings.read(inputs)), since: start) })
        } catch {
            // The next start would wait for this one's lease, or take the database for one that was left by a crash.
            try? await storage.close()
            // What was logged comes before why the start failed.
            await JSONLogHandler.flush(within: .seconds(2))
            throw (error as? SettingsRefused)?.exit() ?? error
        }
        try await Server(composition: composition, process: process).run()
    }
}
