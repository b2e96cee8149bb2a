import Foundation

/// Where settings are looked for, from strongest to weakest: flags, environment, secret files, settings file.
struct SettingsInputs: Sendable {
    /// `--name value` or `--name=value`, as given after the command's own options.
    var flags: [String] = []
    /// The whole environment; only names with our prefix count.
    var environment: [String: String] = [:]
    /// A folder with one file per setting, such as `/run/secrets` or systemd's credentials.
    var secretsDirectory: String?
    /// The settings file.
    var filePath: String?

    static let filePathVariable = SettingKey.environmentPrefix + "CONFIG"
    static let secretsDirectoryVariable = SettingKey.environmentPrefix + "SECRETS_DIRECTORY"

    /// The command line's words and this process's environment.
    static func process(
        flags: [String], filePath: String?, secretsDirectory: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SettingsInputs {
        // As for settings: a variable that nobody filled in is none.
        func path(_ variable: String) -> String? {
            environment[variable].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        }
        return SettingsInputs(
            flags: flags, environment: environment,
            secretsDirectory: secretsDirectory ?? path(secretsDirectoryVariable),
            filePath: filePath ?? path(filePathVariable))
    }
}
