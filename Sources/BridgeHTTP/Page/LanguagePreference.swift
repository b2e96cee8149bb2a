import OAuth2

/// Chooses a language by `Accept-Language` (RFC 9110 §12.5.4).
enum LanguagePreference {
    /// The best of the offered languages; the first of them when none is asked for.
    ///
    /// `de-AT` is answered by `de` (lookup, RFC 4647 §3.4). A malformed range is passed over: a page in the wrong
    /// language is better than none.
    static func choose(from offered: [String], accepting header: String?) -> String? {
        guard let header else { return offered.first }
        var best: (language: String, quality: Int)?
        for range in header.prefix(1000).split(separator: ",") {
            let parts = range.split(separator: ";", maxSplits: 1).map { trimmed($0) }
            guard let tag = parts.first, let quality = parts.count == 2 ? quality(parts[1]) : 1000, quality > 0,
                let language = lookUp(tag.lowercased(), in: offered)
            else { continue }
            if quality > best?.quality ?? 0 { best = (language, quality) }
        }
        return best?.language ?? offered.first
    }

    private static func lookUp(_ tag: String, in offered: [String]) -> String? {
        if tag == "*" { return offered.first }
        var subtags = tag.split(separator: "-")
        while !subtags.isEmpty {
            let candidate = subtags.joined(separator: "-")
            if let match = offered.first(where: { $0.lowercased() == candidate }) { return match }
            subtags.removeLast()
        }
        return nil
    }

    /// `q=0.8` in thousandths; `nil` unless it is a qvalue (RFC 9110 §12.4.2).
    private static func quality(_ parameter: String) -> Int? {
        let pair = parameter.split(separator: "=", maxSplits: 1).map { trimmed($0) }
        guard pair.count == 2, pair[0].lowercased() == "q" else { return nil }
        let parts = pair[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == "0" || parts[0] == "1" else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
        guard let thousandths = Int(padded) else { return nil }
        let value = (parts[0] == "1" ? 1000 : 0) + thousandths
        return value <= 1000 ? value : nil
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
