import Foundation

/// The texts of every page in every language: `texts/<language>.json`, two levels, section and key.
struct PageTexts: Sendable {
    typealias Sections = [String: [String: String]]

    /// English first: it is what a visitor gets who asks for a language we do not have.
    let languages: [String]
    private let sections: [String: Sections]
    /// As the files have it; ``subscript(_:)`` fills in what a language lacks.
    private let declared: [String: Sections]

    /// - Throws: when a file is not a two-level JSON object of strings, or there is no English one.
    init(files: [String: [UInt8]]) throws {
        var sections: [String: Sections] = [:]
        for (name, content) in files where name.hasSuffix(".json") {
            sections[String(name.dropLast(5))] = try JSONDecoder().decode(Sections.self, from: Data(content))
        }
        guard let english = sections["en"] else { throw PageError.missingTexts("en") }
        declared = sections
        // A sentence in English is better than none: a site's own language may lag behind.
        self.sections = sections.mapValues { texts in
            english.merging(texts) { english, own in english.merging(own) { $1 } }
        }
        languages = ["en"] + sections.keys.filter { $0 != "en" }.sorted()
    }

    subscript(_ language: String) -> Sections { sections[language] ?? [:] }

    /// What the language's own file has.
    func own(_ language: String) -> Sections { declared[language] ?? [:] }

    /// One text with `{name}` filled in; falls back to English, then to the key itself.
    func text(_ section: String, _ key: String, in language: String, _ values: [String: String] = [:]) -> String {
        var text = sections[language]?[section]?[key] ?? sections["en"]?[section]?[key] ?? "\(section).\(key)"
        let isIsolated = TextDirection.isRightToLeft(language)
        for (name, value) in values {
            text = text.replacingOccurrences(
                of: "{\(name)}", with: isIsolated ? TextDirection.isolated(value) : value)
        }
        return text
    }

    /// What a language is called by those who speak it; its tag, where its file does not say.
    func name(of language: String) -> String { own(language)["language"]?["name"] ?? language }
}

/// Why the pages could not be loaded at the start.
package enum PageError: Error, Hashable {
    case missingTexts(String)
    case missingTemplate(String)
    case malformedTemplate(String)
}
