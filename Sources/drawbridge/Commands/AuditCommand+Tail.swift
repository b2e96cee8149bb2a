import ArgumentParser
import Bridge
import Foundation

extension AuditCommand {
    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the newest events, oldest first.",
            discussion: """
                Example:
                  drawbridge audit tail --data /tmp/demo --follow
                """)

        @OptionGroup var options: StorageOptions

        @Option(name: .shortAndLong, help: "How many, at most \(AuditPage.sizes.upperBound).")
        var number = 20

        @Flag(name: .shortAndLong, help: "Go on with what is written from now on, until interrupted.")
        var follow = false

        @Option(help: "text, jsonl or csv.")
        var format = Format.text

        func validate() throws { try AuditCommand.checkPageSize(number, of: "--number") }

        /// How far it has printed.
        private struct Printed {
            /// The newest events that there were at first.
            let page: Set<AuditEntry>
            let position: AuditPosition
        }

        func run() async throws {
            let path = try options.embeddedDatabasePath()
            var printed: Printed?
            repeat {
                let opened = path.flatMap(FileIdentity.init(path:))
                let last = printed
                printed = try await options.reading { log in
                    let start = if let last { last } else { try await printNewest(of: log) }
                    guard follow else { return nil }
                    return try await printNew(of: log, after: start) {
                        // A restore puts another file there, and nothing more is written to the one that is open.
                        let named = path.flatMap(FileIdentity.init(path:))
                        return named == nil || named == opened
                    }
                }
            } while printed != nil
        }

        private func printNewest(of log: any BridgeStorage) async throws -> Printed {
            // Before the page, so that an event between the two is in the page or after the position, never lost.
            let position = try await AuditPosition.end(of: log)
            let page = try await log.search(AuditFilter(), before: nil, limit: number)
            try StandardOutput.write(format.header)
            for entry in page.entries.reversed() { try StandardOutput.write(format.line(entry)) }
            return Printed(page: Set(page.entries), position: position)
        }

        /// - Returns: how far it has printed; `nil` when it was interrupted.
        private func printNew(
            of log: any BridgeStorage, after start: Printed, while isCurrent: () -> Bool
        ) async throws -> Printed? {
            var follower = AuditFollower(log: log, position: start.position)
            for await _ in AsyncTimer(every: .milliseconds(500)) {
                // Another event may have the id of one in the page, in a database that was restored.
                for entry in try await follower.next() where !start.page.contains(entry) {
                    try StandardOutput.write(format.line(entry))
                }
                guard isCurrent() else { return Printed(page: start.page, position: follower.position) }
            }
            return nil
        }
    }
}

/// Which file it is that has a name now.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` where there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
