extension String {
    /// In small letters as the stores search them, with one small sigma: for a capital one at the end of a word, some
    /// make the final form and some do not.
    package var lowercasedForSearch: String {
        var folded = String.UnicodeScalarView()
        for scalar in lowercased().unicodeScalars { folded.append(scalar == "ς" ? "σ" : scalar) }
        return String(folded)
    }
}
