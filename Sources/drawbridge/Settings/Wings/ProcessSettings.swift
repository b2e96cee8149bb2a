import Logging

/// How the process runs and stops.
struct ProcessSettings: Sendable {
    static let logLevel = Setting.choice(
        "log.level", among: [Logger.Level.debug, .info, .notice, .warning, .error], default: .info,
        "The least important log lines that are written.")
    static let shutdownGrace = Setting.duration(
        "shutdown_grace", .seconds(0)...(.seconds(600)), default: "10s",
        "How long requests in flight may take to finish after SIGTERM.")

    let logLevel: Logger.Level
    let shutdownGrace: Duration

    init(reading settings: SettingsReader) {
        logLevel = settings[Self.logLevel]
        shutdownGrace = settings[Self.shutdownGrace]
    }
}
