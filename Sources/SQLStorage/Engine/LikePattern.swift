/// Patterns for `LIKE … ESCAPE '!'`.
enum LikePattern {
    /// What contains `text`, each sign of it taken for itself.
    ///
    /// By scalars, as databases read: to Swift a `%` under an accent is another character, to them it stays a wildcard.
    static func containing(_ text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if "!%_".unicodeScalars.contains(scalar) { pattern.append("!") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}
