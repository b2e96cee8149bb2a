import OAuth2

/// The path and query of a page of ours that may be asked for again, to be shown in another language: asking changes
/// nothing, and uses nothing up. Which pages these are is declared with their routes (``Route/shownAgain(_:)``).
///
/// A form carries it to the choice of a language and is led back by it, so it is as good as what anybody sends: it can
/// name nothing but such a page of this very origin.
struct PageAgain: Hashable, Sendable {
    let address: String

    /// - Parameter repetition: of the page with this path.
    /// - Returns: `nil` unless it is the address of such a page.
    init?(_ address: String, _ repetition: (Substring) -> PageRepetition) {
        // Visible ASCII without the backslash, which browsers take for a slash.
        guard address.utf8.allSatisfy({ ASCII.isVisible($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, Self.isPlain(path) else { return nil }
        switch repetition(path) {
        case .never: return nil
        case .withoutQuery: guard parts.count == 1 else { return nil }
        case .withQuery: break
        }
        self.address = address
    }

    /// Whether no browser reads another path in it, or another host: `//host`, `..`, `%2e%2e`.
    private static func isPlain(_ path: Substring) -> Bool {
        guard path.first == "/" else { return false }
        var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        // A path may end in a slash, as the console's first page does; `/` alone names no page of ours.
        if segments.count > 1, segments.last?.isEmpty == true { segments.removeLast() }
        return segments.allSatisfy { segment in
            !segment.isEmpty && segment.utf8.allSatisfy { ASCII.isUnreserved($0) } && !segment.hasPrefix(".")
        }
    }
}
