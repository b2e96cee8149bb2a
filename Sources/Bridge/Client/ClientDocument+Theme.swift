import Foundation

/// The fields of a website's looks.
extension ClientDocument {
    static func readTheme(_ fields: inout StrictFields<Field>, of kind: Client.Kind) -> Theme {
        let name = fields.text(.themeName)
        if let name, !Theme.isName(name) {
            fields.note(
                .themeName,
                "must be 1 to \(Theme.nameLimit) characters of one line, without any that nobody sees")
        }
        let logo = fields.text(.themeLogo)
        if let logo, !Theme.isLogo(logo) {
            fields.note(
                .themeLogo,
                "must be the name of a picture in the assets of public_directory (svg, png, jpg, webp), without a path")
        }
        let light = colour(&fields, .themeAccent, in: .light)
        let dark = colour(&fields, .themeAccentDark, in: .dark)
        for (field, other) in [(Field.themeAccent, Field.themeAccentDark), (.themeAccentDark, .themeAccent)]
        where fields.contains(other) && !fields.contains(field) {
            fields.note(field, "is missing: pages are shown light and dark, and \(other.rawValue) is for one of them")
        }
        if kind != .web, fields.areSound(.clientType) {
            for field in [Field.themeName, .themeLogo, .themeAccent, .themeAccentDark] where fields.contains(field) {
                fields.note(field, "belongs to a website; this client is none")
            }
        }
        let accent = light.flatMap { light in dark.map { Accent(light: light, dark: $0) } }
        return Theme(name: name, logo: logo, accent: accent)
    }

    static func writeTheme(_ theme: Theme, into fields: inout KeyedEncodingContainer<Field>) throws {
        try fields.encodeIfPresent(theme.name, forKey: .themeName)
        try fields.encodeIfPresent(theme.logo, forKey: .themeLogo)
        try fields.encodeIfPresent(theme.accent?.light.description, forKey: .themeAccent)
        try fields.encodeIfPresent(theme.accent?.dark.description, forKey: .themeAccentDark)
    }

    /// A colour that text can be read in, on everything that it stands on.
    private static func colour(
        _ fields: inout StrictFields<Field>, _ field: Field, in scheme: ColourScheme
    ) -> Colour? {
        guard let text = fields.text(field) else { return nil }
        guard let colour = Colour(text) else {
            fields.note(field, "must be # and six hexadecimal digits, such as #2450c8")
            return nil
        }
        let worst = scheme.worst(for: colour)
        guard worst.contrast >= ColourScheme.leastContrast else {
            // Rounded down, or 4.496 would be said to be 4.50.
            let measured = String(format: "%.2f", (worst.contrast * 100).rounded(.down) / 100)
            fields.note(
                field,
                "has a contrast of \(measured) to 1 on \(worst.surface), and text needs \(ColourScheme.leastContrast) to 1: "
                    + (scheme == .light ? "take a darker colour" : "take a lighter colour"))
            return nil
        }
        return colour
    }
}
