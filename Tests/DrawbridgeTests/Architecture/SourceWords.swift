import Foundation

/// The words of one source file, without comments and the insides of texts: what it declares, and what it names.
///
/// Reads names, not meanings; the lines are those that `swift format` leaves.
struct SourceWords: Sendable {
    let path: String
    /// The types at the top level of the file.
    private(set) var types: [Substring] = []
    /// What its extensions add for other files: variables, constants and functions.
    private(set) var additions: [Substring] = []
    /// Every variable, constant, function and case, wherever it stands.
    private(set) var declared: [Substring] = []
    /// Words that begin with a capital and no full stop is ahead of.
    private(set) var names: Set<Substring> = []
    /// Words that a full stop is ahead of.
    private(set) var members: Set<Substring> = []

    init(path: String, lines: [Substring]) {
        self.path = path
        var isInText = false
        var isInExtension = false
        for line in lines {
            // A text of several lines.
            if line.contains("\"\"\"") {
                isInText.toggle()
                continue
            }
            guard !isInText else { continue }
            let words = Self.words(of: line.utf8)
            if let type = Self.type(declaredIn: words) { types.append(type) }
            if words.first?.column == 0 { isInExtension = Self.isExtension(words) }
            if isInExtension, let addition = Self.addition(in: words) { additions.append(addition) }
            declared += Self.declared(in: words)
            for word in words {
                if word.isMember {
                    members.insert(word.text)
                } else if word.text.first?.isUppercase == true {
                    names.insert(word.text)
                }
            }
        }
    }

    private struct Word {
        let text: Substring
        let column: Int
        /// Whether a full stop is ahead of it, so that it is a member of something.
        let isMember: Bool
    }

    private static func words(of line: Substring.UTF8View) -> [Word] {
        var words: [Word] = []
        var before = UInt8(ascii: " ")
        var isQuoted = false
        var index = line.startIndex
        while index < line.endIndex {
            let byte = line[index]
            let start = index
            line.formIndex(after: &index)
            if isQuoted {
                if byte == UInt8(ascii: "\\"), index < line.endIndex { line.formIndex(after: &index) }
                isQuoted = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == UInt8(ascii: "/"), before == UInt8(ascii: "/") {
                break
            } else if isOfWord(byte) {
                while index < line.endIndex, isOfWord(line[index]) { line.formIndex(after: &index) }
                words.append(
                    Word(
                        text: Substring(line[start..<index]),
                        column: line.distance(from: line.startIndex, to: start),
                        isMember: before == UInt8(ascii: ".")))
            }
            before = byte
        }
        return words
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static let modifiers: Set<Substring> = [
        "package", "private", "fileprivate", "public", "final", "indirect",
    ]
    private static let keywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// The type that a line declares at the top level.
    private static func type(declaredIn line: [Word]) -> Substring? {
        guard line.first?.column == 0 else { return nil }
        let rest = line.drop { modifiers.contains($0.text) }
        guard let keyword = rest.first, keywords.contains(keyword.text) else { return nil }
        return rest.dropFirst().first?.text
    }

    private static let secrecy: Set<Substring> = ["private", "fileprivate"]

    private static func isExtension(_ line: [Word]) -> Bool {
        line.first(where: { !modifiers.contains($0.text) })?.text == "extension"
            && !line.contains { secrecy.contains($0.text) }
    }

    private static let modifiersOfMembers: Set<Substring> = [
        "package", "public", "internal", "static", "nonisolated", "mutating", "consuming",
    ]
    private static let keywordsOfMembers: Set<Substring> = ["let", "var", "func"]

    /// What a line adds to the type whose extension it stands in; `nil` for what other files do not see.
    private static func addition(in line: [Word]) -> Substring? {
        guard line.first?.column == 4 else { return nil }
        let rest = line.drop { modifiersOfMembers.contains($0.text) }
        guard let keyword = rest.first, keywordsOfMembers.contains(keyword.text) else { return nil }
        return rest.dropFirst().first?.text
    }

    private static func declared(in line: [Word]) -> [Substring] {
        // `case a, b(C)`, and not `case .a`.
        if line.count > 1, line[0].text == "case", !line[1].isMember { return line.dropFirst().map(\.text) }
        return zip(line, line.dropFirst()).filter { keyword, name in
            keywordsOfMembers.contains(keyword.text) && !keyword.isMember && !name.isMember
        }.map { $0.1.text }
    }
}
