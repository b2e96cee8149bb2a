import Bridge
import Foundation

/// The texts of every page in every language: `texts/<language>.json`, two levels, section and key.
struct PageTexts: Sendable {
    typealias Sections = [String: [String: String]]

    /// English first: it is what a visitor gets who asks for a language we do not have.
    let languages: [String]
    private let sections: [String: Sections]
    /// As the files have it, the binary's own included; ``subscript(_:)`` fills in what a language lacks.
    private let declared: [String: Sections]

    /// - Throws: when a file is not a two-level JSON object of strings, or there is no English one.
    init(files: [String: [UInt8]]) throws {
        let builtIn = PublicFiles.embedded.section("texts")
        var sections: [String: Sections] = [:]
        for (name, content) in files where name.hasSuffix(".json") {
            var texts = try Self.parsed(content, name)
            // A site's own file of a language that the binary has: what it lacks is said as ever.
            if let known = builtIn[name], known != content {
                texts = Self.filled(texts, from: try Self.parsed(known, name))
            }
            sections[String(name.dropLast(5))] = texts
        }
        guard let english = sections["en"] else { throw PageError.missingTexts("en") }
        declared = sections
        // A sentence in English is better than none: a site's own language may lag behind.
        self.sections = sections.mapValues { Self.filled($0, from: english) }
        languages = ["en"] + sections.keys.filter { $0 != "en" }.sorted()
    }

    private static func parsed(_ content: [UInt8], _ name: String) throws(PageError) -> Sections {
        do {
            return try JSONDecoder().decode(Sections.self, from: Data(content))
        } catch {
            let place: [any CodingKey] =
                switch error as? DecodingError {
                case .typeMismatch(_, let context), .valueNotFound(_, let context): context.codingPath
                default: []
                }
            throw .malformedTexts(name, place: place.map(\.stringValue).joined(separator: "."))
        }
    }

    private static func filled(_ texts: Sections, from others: Sections) -> Sections {
        others.merging(texts) { other, own in other.merging(own) { $1 } }
    }

    subscript(_ language: String) -> Sections { sections[language] ?? [:] }

    /// What the language's own files have.
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

    /// One text that may name a wait as `{wait}`: in seconds below a minute, else in minutes. A site's own text may count
    /// minutes itself, as `{minutes}`.
    func text(_ section: String, _ key: String, in language: String, waiting wait: Duration?) -> String {
        guard let wait else { return text(section, key, in: language) }
        let seconds = wait.roundedUpSeconds
        let minutes = String(wait.roundedUpMinutes)
        let words =
            seconds < 60
            ? text("limited", "seconds", in: language, ["count": String(seconds)])
            : text("limited", "minutes", in: language, ["count": minutes])
        return text(section, key, in: language, ["wait": words, "minutes": minutes])
    }

    /// What a language is called by those who speak it; its tag, where its file does not say.
    func name(of language: String) -> String { own(language)["language"]?["name"] ?? language }
}

/// Why the pages could not be loaded at the start; a clause that begins with the file.
enum PageError: Error, Hashable, CustomStringConvertible {
    case missingTexts(String)
    /// - Parameter place: what is no text, such as `sign_in.title`; empty where the file is no JSON at all.
    case malformedTexts(String, place: String)
    case malformedTemplate(String, line: Int)

    var description: String {
        switch self {
        case .missingTexts(let language): "texts/\(language).json is missing"
        case .malformedTexts(let name, let place):
            "texts/\(name) must be a JSON object of sections, each an object of texts"
                + (place.isEmpty ? "" : "; \(place) is something else")
        case .malformedTemplate(let name, let line):
            "templates/\(name).mustache is no template: see line \(line), and that each {{#…}} has its {{/…}}"
        }
    }
}
