import ArgumentParser

/// The options that say where settings are; every command that needs them has these.
struct SettingsOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "The settings file (YAML). Also DRAWBRIDGE_CONFIG.")
    var configPath: String?

    @Option(help: "A folder with one file a setting, such as /run/secrets. Also DRAWBRIDGE_SECRETS_DIRECTORY.")
    var secretsDirectory: String?

    /// - Parameter flags: words that set single keys, `--login-token-lifetime 30s`.
    func inputs(flags: [String] = []) -> SettingsInputs {
        .process(flags: flags, filePath: configPath, secretsDirectory: secretsDirectory)
    }

    /// Whether there are settings to go by, in the environment alone too. What is wrong with them is not told: for a
    /// command that does without.
    var areAccepted: Bool {
        do throws(SettingsRefused) {
            _ = try SettingsInForce(RawSettings.read(inputs()))
            return true
        } catch {
            return false
        }
    }

    /// The settings in force; problems go to stderr and end the process with status 78 (`EX_CONFIG`).
    func load(flags: [String] = []) throws -> DrawbridgeSettings { try loadInForce(flags: flags).settings }

    /// The settings in force with what they were read from; problems end the process as in ``load(flags:)``.
    func loadInForce(flags: [String]) throws -> SettingsInForce {
        do throws(SettingsRefused) {
            return try SettingsInForce(RawSettings.read(inputs(flags: flags)))
        } catch {
            throw error.exit()
        }
    }
}

extension SettingsRefused {
    /// Tells the operator, and gives the status that ends the process.
    func exit() -> ExitCode {
        StandardError.write("\(self)\n")
        return ExitCode(78)
    }
}
