import ArgumentParser
import Bridge
import Logging

/// Brings the database's tables up to date; the server does so too when it starts.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create the database, or bring its tables up to this version.",
        discussion: """
            Example:
              drawbridge migrate --config drawbridge.yaml
            """)

    @OptionGroup var options: StorageOptions

    func run() async throws {
        try options.createFolder()
        let retention = try options.dataPath == nil ? options.settings.load().audit.retention : nil
        let progress = Progress(of: "steps")
        defer { progress.end() }
        try await ServerStorage.withStorage(at: try options.location(), migrating: { progress.reach($0, of: $1) }) {
            storage in
            progress.end()
            try await storage.checkWritable()
            guard let retention else { return }
            let clock = DatabaseClock(of: storage, time: .system, logger: Logger(label: "drawbridge"))
            _ = try await storage.adoptCuts(olderThan: retention, at: try await clock.removalTime())
        }
        StandardOutput.say("The database is up to date.")
    }
}
