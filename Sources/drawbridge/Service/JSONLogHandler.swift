import Bridge
import BridgeHTTP
import Foundation
import Logging
import OAuth2

/// One line per log message: JSON, or words on a terminal. Anything that looks like one of our secrets
/// is redacted.
struct JSONLogHandler: LogHandler {
    enum Form: Sendable { case json, words }

    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    private let label: String
    private let form: Form
    private let time: TimeSource
    private let sink: @Sendable (String) -> Void

    init(
        label: String, level: Logger.Level, form: Form = .json, time: TimeSource = .system,
        sink: @escaping @Sendable (String) -> Void = JSONLogHandler.standardError
    ) {
        self.label = label
        logLevel = level
        self.form = form
        self.time = time
        self.sink = sink
    }

    /// Standard error, for a process that serves: the commit of a write may log, and all other writes wait for it.
    private static let serviceLog = LineWriter(name: "service-log", to: .standardError)

    /// Makes this the log of a process that serves: words where a person watches standard error, JSON for programs.
    static func bootstrap(level: Logger.Level) {
        let form: Form = isatty(STDERR_FILENO) == 1 ? .words : .json
        LoggingSystem.bootstrap { label in
            JSONLogHandler(label: label, level: level, form: form) { serviceLog.write($0.utf8) }
        }
    }

    /// Writes what a process that serves has logged so far, before it ends.
    /// - Parameter patience: how long a reader that stalls is waited for.
    static func flush(within patience: Duration) async { await serviceLog.flush(within: patience) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = SecretRedactor.redact(event.message.description)
        var details = metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }
            .map { (name: $0.key, value: Self.printable($0.value.description, $0.key)) }
        if let error = event.error { details.append(("error", SecretRedactor.redact("\(error)"))) }
        switch form {
        case .json: sink(Self.inert(json(event.level, message, details)))
        case .words: sink(Self.inert(words(event.level, message, details)))
        }
    }

    private func json(_ level: Logger.Level, _ message: String, _ details: [(name: String, value: String)]) -> String {
        var line = JSONObjectWriter()
        line.add("time", time.now().rfc3339)
        line.add("level", level.rawValue)
        line.add("logger", label)
        line.add("message", message)
        for (name, value) in details { line.add(name, value) }
        return line.finishedText() + "\n"
    }

    /// The time of day, the level where it is not the usual one, the message, and what belongs to it. What came from
    /// outside is quoted as JSON is, so that it can neither begin a line nor move the cursor.
    private func words(_ level: Logger.Level, _ message: String, _ details: [(name: String, value: String)]) -> String {
        let named = level == .info ? "" : "\(level.rawValue): "
        let more = details.map { " \($0.name)=\(JSONText.quoted($0.value))" }.joined()
        let said =
            message.unicodeScalars.contains { $0.properties.generalCategory == .control || Self.moves($0) }
            ? JSONText.quoted(message) : message
        return "\(time.now().rfc3339.dropFirst(11).prefix(8)) \(named)\(said)\(more)\n"
    }

    private static func printable(_ text: String, _ name: String) -> String {
        // A signature may look like a secret by chance, and a redacted one would no longer verify.
        if name == "note", AuditNote(note: text) != nil { return text }
        return SecretRedactor.redact(text)
    }

    /// Escapes as JSON does what is left of the characters that terminals obey: the upper control characters (ECMA-48
    /// §5.3), which JSON lets stand for themselves, and those that turn the direction of the text.
    private static func inert(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: moves) else { return line }
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if moves(scalar) {
                let digits = String(scalar.value, radix: 16)
                text.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    private static func moves(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func standardError(_ line: String) {
        // A closed pipe must not end the service.
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
