/// What is probably not meant in the settings, but not a reason to refuse the start.
enum SettingsWarnings {
    /// All of it that needs nothing but the settings, a sentence each.
    static func sentences(about settings: DrawbridgeSettings) -> [String] {
        ClientWarnings(in: settings).sentences + OriginWarnings(in: settings).sentences
            + ProxyWarnings(in: settings).sentences + ProviderWarnings(in: settings).sentences
    }
}
