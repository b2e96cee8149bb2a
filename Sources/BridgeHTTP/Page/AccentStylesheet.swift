import Bridge

/// A stylesheet of two colours, which its name says: it is the same for everybody who asks, whoever has such a theme.
///
/// It is a file because a page's policy allows no styles in the page itself.
struct AccentStylesheet: Sendable {
    private static let (prefix, suffix) = ("accent-", ".css")

    let accent: Accent

    init(of accent: Accent) { self.accent = accent }

    /// - Returns: `nil` for what is not such a name, and for colours that nobody could read.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
        let colours = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
            .split(separator: "-", omittingEmptySubsequences: false).map { Colour(digits: $0) }
        guard colours.count == 2, let light = colours[0], let dark = colours[1],
            ColourScheme.light.worst(for: light).contrast >= ColourScheme.leastContrast,
            ColourScheme.dark.worst(for: dark).contrast >= ColourScheme.leastContrast
        else { return nil }
        accent = Accent(light: light, dark: dark)
    }

    var name: String { "\(Self.prefix)\(accent.light.digits)-\(accent.dark.digits)\(Self.suffix)" }

    /// The stylesheet that every page has reads nothing else of a theme.
    var text: String {
        """
        :root { --accent: \(accent.light); --accent-strong: \(accent.strongLight); }
        @media (prefers-color-scheme: dark) {
            :root { --accent: \(accent.dark); --accent-strong: \(accent.strongDark); }
        }

        """
    }
}
