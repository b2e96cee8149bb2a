/// The languages of the page at the end of a sign-in: those of the provider's pages.
enum LoopbackLanguage: String, Sendable {
    case english = "en"
    case german = "de"

    /// The first language that the browser names; browsers put the best one first. English for all others.
    init(accepting header: String?) {
        let first = header?.prefix { $0 != "," && $0 != ";" }.split(separator: "-").first
        self = first.flatMap { LoopbackLanguage(rawValue: $0.lowercased()) } ?? .english
    }

    func words(for page: LoopbackPage) -> (title: String, text: String) {
        switch (self, page) {
        case (.english, .finished): ("You can go back to the app", "This window is no longer needed.")
        case (.english, .unfinished):
            ("You are not signed in", "Go back to the app: it says what happened. Nothing was changed.")
        case (.english, .nothingHere): ("Nothing here", "No sign-in waits at this address.")
        case (.german, .finished):
            ("Sie können zur App zurückkehren", "Dieses Fenster wird nicht mehr gebraucht.")
        case (.german, .unfinished):
            (
                "Sie sind nicht angemeldet",
                "Kehren Sie zur App zurück: Sie sagt, was geschehen ist. Nichts wurde geändert."
            )
        case (.german, .nothingHere): ("Hier ist nichts", "Unter dieser Adresse wartet keine Anmeldung.")
        }
    }
}
