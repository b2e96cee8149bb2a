/// Which way a language is written.
enum TextDirection {
    /// Languages that are written from right to left unless their tag names another script.
    private static let rightToLeft: Set<Substring> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]
    private static let scripts: Set<Substring> = ["arab", "hebr", "nkoo", "syrc", "thaa"]

    static func isRightToLeft(_ language: String) -> Bool {
        let subtags = language.lowercased().split(separator: "-")
        // A script has four letters and stands second (RFC 5646 §2.2.3).
        if subtags.count > 1, subtags[1].count == 4 { return scripts.contains(subtags[1]) }
        return subtags.first.map(rightToLeft.contains) ?? false
    }

    /// A value that stands in a sentence of the other direction: what it is made of must not move the words around it, and
    /// an address must not be torn apart (Unicode Standard Annex 9, §2.4: first strong isolate, pop directional isolate).
    static func isolated(_ value: String) -> String { "\u{2068}\(value)\u{2069}" }
}
