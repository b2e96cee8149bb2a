/// Text of others made fit for a screen: what it says is shown, what it would do is not.
public enum PlainText {
    /// One line without control characters, without characters that are not seen or that turn the direction of
    /// writing (a name must not repaint the terminal, nor make a host read like another), and not longer than `limit`.
    public static func line(_ text: String, limit: Int = 120) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            shown.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
        return String(shown) + (text.unicodeScalars.count > limit ? "…" : "")
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
