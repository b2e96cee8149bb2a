import Bridge
import Foundation
import Logging
import OAuth2

/// One JSON line per log message, written at once; anything that looks like one of our secrets is redacted.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    private let label: String
    private let time: TimeSource
    private let sink: @Sendable (String) -> Void

    init(
        label: String, level: Logger.Level, time: TimeSource = .system,
        sink: @escaping @Sendable (String) -> Void = JSONLogHandler.standardError
    ) {
        self.label = label
        logLevel = level
        self.time = time
        self.sink = sink
    }

    /// Makes this the process's log.
    static func bootstrap(level: Logger.Level) {
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = JSONObjectWriter()
        line.add("time", time.now().rfc3339)
        line.add("level", event.level.rawValue)
        line.add("logger", label)
        line.add("message", SecretBlotter.blot(event.message.description))
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            line.add(name, Self.printable(value.description, name))
        }
        if let error = event.error { line.add("error", SecretBlotter.blot("\(error)")) }
        sink(String(decoding: line.finish(), as: UTF8.self) + "\n")
    }

    private static func printable(_ text: String, _ name: String) -> String {
        // A signature may look like a secret by chance, and a redacted one would no longer verify.
        if name == "note", AuditNote(note: text) != nil { return text }
        return SecretBlotter.blot(text)
    }

    private static func standardError(_ line: String) {
        // A closed pipe must not end the service.
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
