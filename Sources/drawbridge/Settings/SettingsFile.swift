import Foundation
import Yams

/// The settings file, read once: scalars by dotted name, and the lists of objects.
struct SettingsFile {
    /// One value as written, never interpreted: `30O` stays `30O`.
    struct Entry: Sendable {
        let texts: [String]
        let line: Int
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var objects: [String: [Node]] = [:]
    private(set) var problems: [SettingError] = []
    /// Every name that occurs, also without a value.
    private(set) var names: Set<String> = []
    /// Nothing could be made of the text, so what it leaves out says nothing.
    private(set) var isUnread = false
    /// The line in which a name got its value.
    private var lines: [String: Int] = [:]

    /// No file at all.
    init() {}

    /// Reads YAML 1.2 text; everything that is wrong with it ends up in ``problems``. Of a key that is there twice the
    /// first counts, so that what else is wrong is told too.
    init(yaml: String) {
        var text = yaml
        while true {
            do {
                guard let root = try Yams.compose(yaml: text) else { return }
                guard case .mapping(let mapping) = root else {
                    problems.append(SettingError("settings file", "must be a mapping of keys to values"))
                    return
                }
                flatten(mapping, under: "")
                return
            } catch {
                // The parser's message quotes the line it stopped at, which could hold anything; the place is enough.
                problems.append(SettingError("settings file", "is not YAML: \(Self.place(of: error, in: text))"))
                guard let rest = Self.withoutRepetition(error, in: text) else {
                    isUnread = true
                    return
                }
                text = rest
            }
        }
    }

    private mutating func flatten(_ mapping: Node.Mapping, under prefix: String) {
        for (keyNode, value) in mapping {
            let line = keyNode.mark?.line ?? 0
            guard let key = keyNode.scalar?.string else {
                problems.append(SettingError(prefix, at: .file(line: line), "a key must be a plain text"))
                continue
            }
            let name = prefix.isEmpty ? key : "\(prefix).\(key)"
            names.insert(name)
            if SettingKey.byName[name]?.kind == .objects {
                objects[name] = list(value, name: name, line: line)
            } else {
                read(value, name: name, line: line)
            }
        }
    }

    /// YAML refuses a key twice, but `a.b` and `b` within `a` are two keys to it, and one setting here.
    private mutating func claim(_ name: String, line: Int) {
        if let first = lines[name] {
            problems.append(SettingError(name, at: .file(line: line), "is given twice, first in line \(first)"))
        } else {
            lines[name] = line
        }
    }

    private mutating func list(_ value: Node, name: String, line: Int) -> [Node] {
        if Self.isNull(value) { return [] }
        claim(name, line: line)
        guard case .sequence(let sequence) = value else {
            problems.append(SettingError(name, at: .file(line: line), "must be a list of objects"))
            return []
        }
        return Array(sequence)
    }

    private mutating func read(_ value: Node, name: String, line: Int) {
        switch value {
        case .mapping(let inner):
            if SettingKey.byName[name] != nil {
                problems.append(SettingError(name, at: .file(line: line), "takes a value, not nested keys"))
            } else {
                // One without keys would name nothing that could be refused.
                if inner.isEmpty, !SettingKey.isGroup(name) {
                    claim(name, line: line)
                    entries[name] = Entry(texts: [], line: line)
                }
                flatten(inner, under: name)
            }
        case .scalar(let scalar):
            // `key:` with nothing after it leaves the default in force, as a commented-out line does.
            if !Self.isNull(value) || SettingKey.byName[name] == nil {
                claim(name, line: line)
                entries[name] = Entry(texts: [scalar.string], line: line)
            }
        case .sequence(let sequence):
            let texts = sequence.compactMap { $0.scalar?.string }
            if texts.count != sequence.count {
                problems.append(SettingError(name, at: .file(line: line), "must be a list of texts"))
            }
            claim(name, line: line)
            entries[name] = Entry(texts: texts, line: line)
        case .alias:
            problems.append(SettingError(name, at: .file(line: line), "YAML aliases are not supported"))
        }
    }

    var layer: RawSettings.Layer {
        let texts = entries.reduce(into: [String: [String]]()) { texts, entry in
            guard let key = SettingKey.byName[entry.key] else { return }
            let written = entry.value.texts
            texts[key.name] = key.kind == .list ? written : [written.joined(separator: ",")]
        }
        return RawSettings.Layer(texts: texts) { [entries] in .file(line: entries[$0.name]?.line ?? 0) }
    }

    private static func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }

    private static func place(of error: any Error, in yaml: String) -> String {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line), column \(mark.column): \(problem)"
        case .duplicatedKeysInMapping(let duplicates, let first):
            place(of: duplicates, first: first.mark, in: yaml)
        default: "unreadable characters"
        }
    }

    /// - Parameter duplicates: every key of a mapping that it has twice. Only where the first of them is can be told.
    private static func place(of duplicates: [String], first: Mark, in yaml: String) -> String {
        let said = "key given twice: "
        guard let key = duplicates.first, let again = repetition(of: key, after: first, in: yaml) else {
            return said + "\(duplicates.joined(separator: ", ")); first in line \(first.line)"
        }
        return said + "\(key); first in line \(first.line), again in line \(again)"
    }

    /// The text without the second of two keys and what belongs to it; every other line stays where it is.
    /// - Returns: `nil` where that is not what is wrong, or the key does not begin a line.
    private static func withoutRepetition(_ error: any Error, in yaml: String) -> String? {
        guard case .duplicatedKeysInMapping(let duplicates, let first)? = error as? YamlError,
            let again = duplicates.first.flatMap({ repetition(of: $0, after: first.mark, in: yaml) })
        else { return nil }
        var lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
        // One that follows a dash begins another mapping.
        guard indentation(lines[again - 1]) == first.mark.column - 1 else { return nil }
        func belongsToIt(_ line: Substring) -> Bool {
            let text = line.drop { $0 == " " }
            if text.isEmpty || text.hasPrefix("#") { return true }
            // A list may stand as far to the left as its key.
            let isListEntry = text.hasPrefix("- ") || text == "-"
            return indentation(line) >= first.mark.column - (isListEntry ? 1 : 0)
        }
        let end = lines[again...].firstIndex { !belongsToIt($0) } ?? lines.endIndex
        for index in (again - 1)..<end { lines[index] = "" }
        return lines.joined(separator: "\n")
    }

    /// The line in which a mapping has a key for the second time: the parser tells the first alone.
    /// - Returns: `nil` where keys do not begin lines, as in `{a: 1, a: 2}`.
    private static func repetition(of key: String, after first: Mark, in yaml: String) -> Int? {
        let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        // Whatever is in that column before the mapping's end is a key of the same mapping.
        func isKey(_ line: Substring) -> Bool {
            let text = line.drop { $0 == " " || $0 == "-" }
            guard line.count - text.count == first.column - 1 else { return false }
            return [key, "\"\(key)\"", "'\(key)'"].contains { spelling in
                text.hasPrefix(spelling) && text.dropFirst(spelling.count).first { $0 != " " } == ":"
            }
        }
        guard lines.indices.contains(first.line - 1), isKey(lines[first.line - 1]) else { return nil }
        return lines.indices.dropFirst(first.line).first { isKey(lines[$0]) }.map { $0 + 1 }
    }
}
