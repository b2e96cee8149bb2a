/// Help and complaints as they fit a terminal: the argument parser breaks every line but that of the usage.
enum UsageText {
    /// As wide as the rest, where nothing says how wide the terminal is.
    static let columns = 80

    private static let headings = ["USAGE: ", "Usage: "]

    /// The text with its usage on as many lines as that takes.
    static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.count > columns && headings.contains(where: { line.hasPrefix($0) }) ? broken(line) : String(line)
        }.joined(separator: "\n")
    }

    private static func broken(_ line: Substring) -> String {
        let margin = String(repeating: " ", count: headings[0].count)
        var lines: [String] = []
        var current = ""
        for part in parts(of: line) {
            if current.isEmpty {
                current = part
            } else if current.count + 1 + part.count <= columns {
                current += " " + part
            } else {
                lines.append(current)
                current = margin + part
            }
        }
        return (lines + [current]).joined(separator: "\n")
    }

    /// What may not be torn: an option with its value.
    private static func parts(of line: Substring) -> [String] {
        var parts: [String] = []
        var isOpen = false
        var previous: Substring = ""
        for word in line.split(separator: " ") {
            let belongs = isOpen || (word.hasPrefix("<") && previous.hasPrefix("--"))
            if belongs, let last = parts.popLast() {
                parts.append("\(last) \(word)")
            } else {
                parts.append(String(word))
            }
            if word.hasPrefix("[") { isOpen = true }
            if word.hasSuffix("]") { isOpen = false }
            previous = word
        }
        return parts
    }
}
