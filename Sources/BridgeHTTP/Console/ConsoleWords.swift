/// What the console says, in the language of who reads it.
///
/// Types of events, reasons, names of settings and fields stay as they are: people look for them in the log, in documents
/// and in the API, where they have one name.
struct ConsoleWords: Sendable {
    let texts: PageTexts
    let language: String

    func callAsFunction(_ section: String, _ key: String, _ values: [String: String] = [:]) -> String {
        texts.text(section, key, in: language, values)
    }

    /// How many a list shows.
    /// - Parameter isLater: whether pages come before this one: its number is not that of all then.
    func count(_ count: Int, isMore: Bool = false, isLater: Bool = false) -> String {
        self("console", isMore ? "found_more" : isLater ? "found_here" : "found", ["count": String(count)])
    }
}
