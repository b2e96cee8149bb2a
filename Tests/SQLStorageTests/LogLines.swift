import Logging
import Synchronization

/// What a log was told.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// The messages of warnings and errors, without their details.
    var complaints: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private func tell(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        init(lines: LogLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.tell("\(event.message)") }
    }
}
