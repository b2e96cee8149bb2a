/// Types that stand in two files, line for line or nearly so.
///
/// Reads lines, not meanings: a declaration ends at the brace that stands as far in as it begins. Comments, access and
/// the type's own name make no difference.
struct TypeCopies: Sendable {
    private struct Declaration {
        let path: String
        let name: Substring
        let lines: [String]
    }

    /// What is shorter is written twice sooner than found elsewhere.
    private static let leastLines = 8
    private static let leastShare = 0.8
    /// A line of more types than this is no sign that two of them are alike.
    private static let mostBearers = 8
    private static let modifiers: Set<Substring> = ["package", "private", "fileprivate", "public", "internal", "final"]
    private static let kinds: Set<Substring> = ["struct", "class", "actor", "enum"]

    private let declarations: [Declaration]

    init(in files: [(path: String, lines: [Substring])]) {
        declarations = files.flatMap { file in
            file.lines.indices.compactMap { Self.declaration(at: $0, of: file.lines, in: file.path) }
        }.filter { $0.lines.count >= Self.leastLines }
    }

    /// Each pair, such as `Clock of Tests/A/X.swift is Watch of Tests/B/Y.swift`.
    var found: [String] {
        var bearers: [String: [Int]] = [:]
        for (index, declaration) in declarations.enumerated() {
            for line in Set(declaration.lines) { bearers[line, default: []].append(index) }
        }
        var pairs: Set<[Int]> = []
        for indices in bearers.values where indices.count <= Self.mostBearers {
            for first in indices {
                for second in indices where first < second { pairs.insert([first, second]) }
            }
        }
        return pairs.map { (declarations[$0[0]], declarations[$0[1]]) }.filter(Self.areCopies).map { first, second in
            "\(first.name) of \(first.path) is \(second.name) of \(second.path)"
        }.sorted()
    }

    private static func declaration(at index: Int, of lines: [Substring], in path: String) -> Declaration? {
        let head = lines[index]
        guard head.hasSuffix(" {") else { return nil }
        let words = head.split { " :<".contains($0) }.drop { modifiers.contains($0) || $0.hasPrefix("@") }
        guard words.count > 1, let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first else {
            return nil
        }
        let end = head.prefix { $0 == " " } + "}"
        let body = lines[(index + 1)...].prefix { $0 != end }
        return Declaration(path: path, name: name, lines: body.compactMap { bare($0, within: name) })
    }

    /// A line without what makes no difference; `nil` when nothing is left.
    private static func bare(_ line: Substring, within name: Substring) -> String? {
        let text = line.drop { $0 == " " }
        guard !text.isEmpty, !text.hasPrefix("//") else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).drop { modifiers.contains($0) }
        return words.joined(separator: " ").replacing(name, with: "Self")
    }

    private static func areCopies(_ first: Declaration, _ second: Declaration) -> Bool {
        guard first.path != second.path else { return false }
        var left = Dictionary(first.lines.map { ($0, 1) }) { $0 + $1 }
        var common = 0
        for line in second.lines {
            guard let count = left[line], count > 0 else { continue }
            left[line] = count - 1
            common += 1
        }
        return Double(2 * common) >= leastShare * Double(first.lines.count + second.lines.count)
    }
}
