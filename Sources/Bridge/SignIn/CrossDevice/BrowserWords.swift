/// What a browser says that it is, in the words of its user: a hint for people, which anybody can forge.
package enum BrowserWords {
    /// In this order: most browsers name others too.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Chromium/", "Chromium"),
        ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("Windows", "Windows"), ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    package static func browser(_ userAgent: String?) -> String? { word(userAgent, browsers) }

    package static func system(_ userAgent: String?) -> String? { word(userAgent, systems) }

    private static func word(_ userAgent: String?, _ table: [(mark: String, word: String)]) -> String? {
        guard let userAgent else { return nil }
        return table.first { userAgent.contains($0.mark) }?.word
    }
}
