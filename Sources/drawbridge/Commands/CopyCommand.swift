import ArgumentParser
import Bridge
import Foundation
import SQLStorage

/// Moves from the embedded database to a PostgreSQL server.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the embedded database to a PostgreSQL server.",
        discussion: """
            Stop the server first, and run this as its user. No server that ever wrote there, and none called \
            main, can begin to write meanwhile. The target must be empty. Everything is copied in one transaction, \
            and before its commit every row is read back and compared; if anything goes wrong the target stays \
            empty. Take the key files along, and start the server with --database.

            Example:
              drawbridge copy --from sqlite:/var/lib/drawbridge/drawbridge.sqlite \\
                  --to postgres://drawbridge@db.example.com/drawbridge
            """)

    @Option(help: "The embedded database: sqlite: and the path of drawbridge.sqlite.")
    var from: String

    @Option(help: "The PostgreSQL database: a postgres:// URL.")
    var to: String

    func run() async throws {
        let scheme = "sqlite:"
        guard from.hasPrefix(scheme), from.count > scheme.count else {
            throw ValidationError(
                "--from must be sqlite: and a path, such as sqlite:/var/lib/drawbridge/drawbridge.sqlite.")
        }
        let source = Self.absolute(String(from.dropFirst(scheme.count)))
        let target = try PostgresAddress(to)
        // It makes locks there.
        let folder = StorageFolder.parent(of: source)
        try StorageFolder.refuseRoot(in: folder, masterKey: nil)
        // Every row twice: written, and compared.
        let progress = Progress(of: "rows copied and compared")
        defer { progress.end() }
        let report = try await DatabaseFailure.naming("\(source) or \(target)") {
            try await StorageCopy.run(
                fromSQLite: source, to: target, nodes: [StorageSettings.node.key.fallback].compactMap(\.self),
                at: TimeSource.system.now(), progress: { progress.reach($0) })
        }
        for row in report.rows { StandardOutput.say("\(row.table): \(row.count)") }
        StandardOutput.say("Copied and compared.")
        StandardOutput.say(
            """
            Before the server starts: name the target as database, in the settings file or a secret, and move \(source) \
            away. What does not know the target yet would go on with it.
            """)
    }

    /// What is beside the source is looked for by its path: the locks.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
