import Foundation
import Testing

@testable import Bridge

/// What a website may say about its looks (contract §14).
@Suite struct ThemeTests {
    private func read(_ members: String, type: String = "web") throws -> Theme {
        let json = #"{"client_id":"shop","client_type":"\#(type)",\#(members)}"#
        return try JSONDecoder().decode(ClientDocument.self, from: Data(json.utf8)).client.theme
    }

    private func problems(_ members: String, type: String = "web") -> [String] {
        do {
            _ = try read(members, type: type)
            return []
        } catch {
            return (error as? ClientDocumentError)?.problems.map { "\($0.field) \($0.text)" } ?? ["\(error)"]
        }
    }

    // Of WCAG's own formula: known pairs, to two digits.
    @Test(arguments: [
        ("#000000", "#ffffff", 21.0), ("#767676", "#ffffff", 4.54), ("#777777", "#ffffff", 4.47),
        ("#ff0000", "#ffffff", 3.99),
        ("#0000ff", "#ffffff", 8.59), ("#ffffff", "#ffffff", 1),
    ])
    func `contrast is WCAG's, whichever colour is first`(one: String, two: String, ratio: Double) throws {
        let (one, two) = (try #require(Colour(one)), try #require(Colour(two)))
        #expect((one.contrast(with: two) * 100).rounded(.down) / 100 == ratio)
        #expect(one.contrast(with: two) == two.contrast(with: one))
    }

    @Test func `a theme is read, and reads back as it was written`() throws {
        let json = #"""
            {"client_id":"shop","client_type":"web","theme_name":"Näh & Garn 糸","theme_logo":"shop-2.svg",
             "theme_accent":"#7A1F5C","theme_accent_dark":"#ff9ad5"}
            """#
        let client = try JSONDecoder().decode(ClientDocument.self, from: Data(json.utf8)).client
        #expect(client.theme.name == "Näh & Garn 糸" && client.theme.logo == "shop-2.svg")
        #expect(client.theme.accent == Accent(light: Colour(0x7A1F5C), dark: Colour(0xFF9AD5)))
        let again = try JSONEncoder().encode(ClientDocument(client))
        #expect(try JSONDecoder().decode(ClientDocument.self, from: again).client == client)
    }

    @Test func `a colour that cannot be read is refused with what was measured and what is needed`() {
        #expect(
            problems(##""theme_accent":"#ffcc00","theme_accent_dark":"#24306b""##) == [
                "theme_accent has a contrast of 1.38 to 1 on #f3f5f9, and text needs 4.5 to 1: take a darker colour",
                "theme_accent_dark has a contrast of 1.22 to 1 on #2b2615, and text needs 4.5 to 1: take a lighter colour",
            ])
        // On white it could be read; on the page's ground it cannot.
        #expect(
            problems(##""theme_accent":"#767676","theme_accent_dark":"#ffffff""##).first?.contains("#f3f5f9") == true)
    }

    @Test(arguments: ["2450c8", "#2450c", "#2450c8ff", "blue", "#2450cg", "rgb(0,0,0)", "#000;}", ""])
    func `what is no colour is refused`(text: String) {
        let said = problems(##""theme_accent":"\##(text)","theme_accent_dark":"#8fb0ff""##)
        #expect(said.count == 1 && said.first?.hasPrefix("theme_accent ") == true)
    }

    @Test func `both colours are given, or none`() {
        #expect(
            problems(##""theme_accent":"#2450c8""##) == [
                "theme_accent_dark is missing: pages are shown light and dark, and theme_accent is for one of them"
            ])
        #expect(problems(##""theme_accent_dark":"#8fb0ff""##).count == 1)
    }

    @Test(arguments: [
        "https://cdn.example/logo.svg", "//cdn.example/logo.svg", "/logo.svg", "../logo.svg", "logos/a.svg", "logo",
        "logo.html",
        "logo.js", ".svg", "a b.svg", "logo.svg?x", "data:image/svg+xml,x", "logo..svg",
    ])
    func `a picture is a file of the service's own and nothing else`(text: String) {
        #expect(problems(#""theme_logo":"\#(text)""#).first?.hasPrefix("theme_logo must be the name") == true)
    }

    @Test(arguments: [
        "a\u{202E}b", "a\u{200F}b", "a\u{2066}b", "a\u{200B}b", #"a\nb"#, #"a\u0000b"#, " a",
        String(repeating: "a", count: 61),
    ])
    func `a name is one line that says what it shows`(text: String) {
        #expect(problems(#""theme_name":"\#(text)""#).first?.hasPrefix("theme_name must be") == true)
    }

    @Test func `an app and a machine have no looks`() {
        for type in ["native", "service"] {
            #expect(
                problems(#""theme_name":"Shop""#, type: type)
                    == ["theme_name belongs to a website; this client is none"])
        }
    }

    @Test func `what the pointer is on is no harder to read`() throws {
        for hue in stride(from: UInt32(0), through: 0xFFFFFF, by: 0x1F3D7) {
            let colour = Colour(hue)
            let accent = Accent(light: colour, dark: colour)
            if ColourScheme.light.worst(for: colour).contrast >= ColourScheme.leastContrast {
                #expect(
                    ColourScheme.light.worst(for: accent.strongLight).contrast >= ColourScheme.leastContrast,
                    "\(colour)")
            }
            if ColourScheme.dark.worst(for: colour).contrast >= ColourScheme.leastContrast {
                #expect(
                    ColourScheme.dark.worst(for: accent.strongDark).contrast >= ColourScheme.leastContrast, "\(colour)")
            }
        }
    }
}
