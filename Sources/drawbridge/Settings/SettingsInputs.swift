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
    static func process(flags: [String], filePath: String?, secretsDirectory: String?) -> SettingsInputs {
        let environment = ProcessInfo.processInfo.environment
        return SettingsInputs(
            flags: flags, environment: environment,
            secretsDirectory: secretsDirectory ?? environment[secretsDirectoryVariable],
            filePath: filePath ?? environment[filePathVariable])
    }
}
