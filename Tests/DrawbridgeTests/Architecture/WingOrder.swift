import Foundation

/// The folders of a target in one order: what is declared in one is named only there and in those after it (ADR-0019).
///
/// Reads names, not meanings: types declared at the top level of a file, and words that begin with a capital. That is
/// enough for packages whose types all have names of their own.
struct WingOrder: Sendable, CustomStringConvertible {
    /// Such as `Sources/Bridge`.
    let target: String
    /// From the ground up; wings in one set do not know each other. `""` is the files of no folder, the roof.
    let wings: [Set<String>]

    static let all = [
        WingOrder(
            target: "Sources/Bridge",
            wings: [
                ["Core"], ["Audit"], ["Limit"], ["Client"], ["Session"], ["User"], ["Provider"], ["LoginToken"],
                ["SignIn", "NativeSSO"], ["Admin"], [""],
            ]),
        WingOrder(
            target: "Sources/BridgeHTTP",
            wings: [
                ["Request"], ["Answer"], ["Generated"], ["Page"], ["AppLinks"], ["Session"], ["Provider"],
                ["NativeSSO"],
                ["Admin"], ["SignIn"], ["LoginToken"], ["Compatibility"], ["Console"], ["Listener"], [""],
            ]),
        WingOrder(
            target: "Sources/SQLStorage",
            wings: [["Engine"], ["Commit"], ["Schema"], ["Stores"], ["SQLite"], ["Postgres"], ["Copy"]]),
        WingOrder(
            target: "Sources/Federation", wings: [["Fetch"], ["Issuer"], ["Delivery", "Upstream"], [""]]),
        WingOrder(
            target: "Sources/RedisStorage",
            wings: [["Wire"], ["Settings"], ["Connection"], ["Topology"], [""], ["Roles"]]),
        WingOrder(
            target: "Sources/SelfIssuedIdP",
            wings: [
                ["Core"], ["Link"], ["Transport", "Key"], ["Profile"], ["Request"], ["Store"], ["Answer"],
                [""],
            ]),
        WingOrder(
            target: "Sources/drawbridge-phone", wings: [["Terminal", "Network"], ["Commands"], [""]]),
        WingOrder(
            target: "Sources/drawbridge", wings: [["KeyFile"], ["Settings"], ["Service"], ["Demo"], ["Commands"], [""]]),
    ]

    var description: String { target }

    /// Every name that points up, as `file: Name`, and every folder that is no wing.
    func violations(in files: [(path: String, lines: [Substring])]) -> [String] {
        var sources: [(file: String, wing: String, names: Set<Substring>)] = []
        var homes: [Substring: String] = [:]
        for file in files where file.path.hasPrefix(target + "/") && file.path.hasSuffix(".swift") {
            let parts = file.path.dropFirst(target.count + 1).split(separator: "/")
            let wing = parts.count > 1 ? String(parts[0]) : ""
            let code = Self.code(file.lines)
            for line in code { if let name = Self.declared(in: line) { homes[name] = wing } }
            sources.append((file.path, wing, Set(code.flatMap(Self.names))))
        }
        return sources.flatMap { source -> [String] in
            guard let floor = floor(of: source.wing) else { return ["\(source.file): \(source.wing) is no wing"] }
            return source.names.compactMap { name in
                guard let home = homes[name], home != source.wing, let other = self.floor(of: home), other >= floor
                else { return nil }
                return "\(source.file): \(name) of \(home.isEmpty ? "the roof" : home)"
            }.sorted()
        }
    }

    private func floor(of wing: String) -> Int? { wings.firstIndex { $0.contains(wing) } }

    /// The words of a file's code: of each line, without comments and the insides of texts.
    private static func code(_ lines: [Substring]) -> [[Word]] {
        var isInText = false
        return lines.compactMap { line in
            // A text of several lines.
            if line.contains("\"\"\"") {
                isInText.toggle()
                return nil
            }
            return isInText ? nil : words(of: line.utf8)
        }
    }

    private struct Word {
        let text: Substring
        /// Whether it begins the line.
        let isFirst: Bool
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
                        text: Substring(line[start..<index]), isFirst: start == line.startIndex,
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
    private static func declared(in line: [Word]) -> Substring? {
        guard line.first?.isFirst == true else { return nil }
        let rest = line.drop { modifiers.contains($0.text) }
        guard let keyword = rest.first, keywords.contains(keyword.text) else { return nil }
        return rest.dropFirst().first?.text
    }

    private static func names(in line: [Word]) -> [Substring] {
        line.filter { !$0.isMember && $0.text.first?.isUppercase == true }.map(\.text)
    }
}
