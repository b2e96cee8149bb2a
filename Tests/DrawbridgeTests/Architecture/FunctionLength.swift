import Foundation

/// How long functions are, in sources that `swift format` has laid out: a body ends at the margin of its head.
enum FunctionLength {
    /// What the longest one has, which opens a web session with all that must come about together.
    static let limit = 50

    private struct Function {
        let head: Substring
        let margin: Int
        /// Not yet while its signature goes on, and never in a protocol.
        var hasBody: Bool
        var lines = 0
    }

    /// The longer ones. Lines of code count, without blank ones, comments and the insides of texts.
    static func violations(in lines: [Substring]) -> [String] {
        var begun: [Function] = []
        var violations: [String] = []
        var isInText = false
        for line in lines {
            if line.contains("\"\"\"") { isInText.toggle() } else if isInText { continue }
            let margin = line.prefix { $0 == " " }.count
            let code = line.dropFirst(margin)
            if code.isEmpty || code.hasPrefix("//") { continue }
            if let last = begun.last, !last.hasBody, margin <= last.margin, !code.hasPrefix(")"), !code.hasPrefix("{") {
                begun.removeLast()
            }
            if let last = begun.last, last.hasBody, margin == last.margin, code.hasPrefix("}") {
                begun.removeLast()
                if last.lines > limit { violations.append("\(last.lines) lines: \(last.head)") }
            }
            for index in begun.indices where begun[index].hasBody { begun[index].lines += 1 }
            if let last = begun.indices.last, !begun[last].hasBody, margin == begun[last].margin {
                begun[last].hasBody = code.hasSuffix("{")
            } else if isHead(code) {
                begun.append(Function(head: code, margin: margin, hasBody: code.hasSuffix("{")))
            }
        }
        return violations
    }

    private static let modifiers: Set<Substring> = [
        "package", "public", "private", "fileprivate", "static", "final", "override", "convenience", "required",
        "mutating", "nonisolated",
    ]

    /// Whether a function begins, or a property that is computed.
    private static func isHead(_ code: Substring) -> Bool {
        let words = code.split(separator: " ").drop { modifiers.contains($0) || $0.hasPrefix("@") }
        guard let word = words.first else { return false }
        if word == "var" { return code.hasSuffix("{") }
        return word == "func" || ["init(", "init?(", "init<", "subscript("].contains { word.hasPrefix($0) }
    }
}
