package import Logging
import Synchronization

/// A log that a test reads, a line for each thing that it was told: `warning: degraded error=no answer part=test`.
///
/// It pretends to be a server's log from some level up, with the details of the logger as well as of the call. It
/// writes nothing anywhere, hides no secret, and forgets labels and the places in the code that speak.
package final class LogLines: Sendable {
    private struct Line: Sendable {
        let level: Logger.Level
        let message: String
        /// Each after a space, by their names.
        let details: String
    }

    private let level: Logger.Level
    private let lines = Mutex<[Line]>([])

    package init(level: Logger.Level = .info) { self.level = level }

    /// What loggers of this log tell gets here, the oldest first.
    package var all: [String] { lines.withLock { $0.map { "\($0.level): \($0.message)\($0.details)" } } }

    /// The messages of warnings and errors, without their details.
    package var complaints: [String] { lines.withLock { $0.filter { $0.level >= .warning }.map(\.message) } }

    /// As a file has them.
    package var text: String { all.joined(separator: "\n") }

    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: self.level) } }

    private struct Handler: LogHandler {
        let log: LogLines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        init(log: LogLines, logLevel: Logger.Level) {
            self.log = log
            self.logLevel = logLevel
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var details = metadata.merging(event.metadata ?? [:]) { $1 }
            if let error = event.error { details["error"] = "\(error)" }
            let line = Line(
                level: event.level, message: "\(event.message)",
                details: details.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined())
            log.lines.withLock { $0.append(line) }
        }
    }
}
