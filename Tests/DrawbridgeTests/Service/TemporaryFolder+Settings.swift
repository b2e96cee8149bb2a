@testable import drawbridge

extension TemporaryFolder {
    /// Settings with everything switched on that can be, and the files that they name.
    /// - Parameter more: further lines of the settings file.
    func settingsOfEverything(_ more: String = "") throws -> DrawbridgeSettings {
        _ = try file("master-key", MasterKeyFile.make())
        _ = try file("upstream-secret", "secret")
        let settings = try file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            data_directory: \(path)
            compatibility: {va_sign_in: true}
            cross_device: {enabled: true}
            self_issued: {enabled: true, linking_apps: [app]}
            upstream_providers:
              - {id: upstream, issuer: 'https://op.example', client_id: a, client_secret_file: upstream-secret}
            \(more)
            """)
        return try DrawbridgeSettings.load(SettingsInputs(filePath: settings))
    }
}
