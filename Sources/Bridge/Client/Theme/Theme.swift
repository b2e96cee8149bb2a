import OAuth2

/// How a website's pages look: a name, a picture and a colour, and nothing else (ADR-0067). It changes no word, no order
/// and no policy of a page.
package struct Theme: Hashable, Sendable {
    /// What the pages call the website; `nil` for the name that the settings have.
    package var name: String?
    /// The name of a picture among the assets; `nil` for the service's own.
    package var logo: String?
    /// `nil` for the service's own.
    package var accent: Accent?

    package init(name: String? = nil, logo: String? = nil, accent: Accent? = nil) {
        self.name = name
        self.logo = logo
        self.accent = accent
    }

    package var isEmpty: Bool { name == nil && logo == nil && accent == nil }

    /// Characters.
    static let nameLimit = 60

    /// Whether a text can head a page: a line that says what it shows. Marks that turn the direction of what follows
    /// could make a page read otherwise than it is written.
    package static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: true
                }
            } && text.first?.isWhitespace == false
    }

    /// Whether a text names a picture in the folder of the assets: no path, no other address.
    package static func isLogo(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 100 && parts.count >= 2 && !parts.contains("")
            && text.utf8.allSatisfy(ASCII.isNameByte)
            && ["svg", "png", "jpg", "jpeg", "webp"].contains(parts.last.map(String.init))
    }
}

/// The colour of links and buttons, in light and in dark.
package struct Accent: Hashable, Sendable {
    package let light: Colour
    package let dark: Colour

    package init(light: Colour, dark: Colour) {
        self.light = light
        self.dark = dark
    }

    /// While the pointer is on it: a step further from the background, so no harder to read.
    package var strongLight: Colour { light.mixed(with: .black, share: 0.2) }
    package var strongDark: Colour { dark.mixed(with: .white, share: 0.3) }
}

/// A scheme that a page is shown in, with what links and buttons stand on. A test holds the colours to the stylesheet.
package enum ColourScheme: CaseIterable, Sendable {
    case light, dark

    /// The least contrast for text (WCAG 2.2, 1.4.3).
    package static let leastContrast = 4.5

    /// The page's ground, its cards and its notices. What a button says has the colour of the first card or a darker one.
    package var surfaces: [Colour] {
        switch self {
        case .light: [Colour(0xF3F5F9), Colour(0xFFFFFF), Colour(0xFFF6DF)]
        case .dark: [Colour(0x0F1420), Colour(0x182030), Colour(0x2B2615)]
        }
    }

    /// The surface that a colour is hardest to read on.
    package func worst(for colour: Colour) -> (surface: Colour, contrast: Double) {
        surfaces.map { ($0, colour.contrast(with: $0)) }.min { $0.1 < $1.1 } ?? (.white, 1)
    }
}
