import ArgumentParser

/// The command that a command line's words name, as far as they name one.
struct NamedCommand {
    /// The commands from `drawbridge` down.
    private(set) var path: [any ParsableCommand.Type] = [Drawbridge.self]
    /// A word in the place of a command that is not one.
    private(set) var unknown: String?

    /// - Parameter words: those after `drawbridge`.
    init(_ words: some Collection<String>) {
        for word in words.first == "help" ? words.dropFirst() : words[...] {
            let commands = last.configuration.subcommands
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                unknown = word == "help" ? nil : word
                return
            }
            path.append(next)
        }
    }

    /// The one that an error was met in.
    init(_ command: any ParsableCommand.Type) {
        path = Self.way(to: command, from: Drawbridge.self) ?? path
    }

    var name: String { path.map { $0._commandName }.joined(separator: " ") }

    /// - Returns: `nil` when every word that stands for a command is one.
    var problem: String? {
        guard let unknown else { return nil }
        let names = last.configuration.subcommands.map { $0._commandName }
        let hint = NearestName.of(unknown, among: names).map { " Did you mean \($0)?" } ?? ""
        return "\(name) has no command \(unknown).\(hint)"
    }

    /// Where to read on.
    var pointer: String {
        "See '\(([Drawbridge._commandName, "help"] + path.dropFirst().map { $0._commandName }).joined(separator: " "))'."
    }

    /// The first word that may have been meant as a name and was read as an option: none of ours has one dash and more
    /// than a letter.
    ///
    /// - Returns: What to write instead, or `nil` when there is no such word.
    static func dashHint(for words: some Collection<String>) -> String? {
        let words = words.prefix { $0 != "--" }
        guard let word = words.first(where: { $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }) else {
            return nil
        }
        return "A name that begins with a dash goes after the options and two dashes: -- \(word)"
    }

    private var last: any ParsableCommand.Type { path[path.count - 1] }

    private static func way(
        to command: any ParsableCommand.Type, from root: any ParsableCommand.Type
    ) -> [any ParsableCommand.Type]? {
        if root == command { return [root] }
        for next in root.configuration.subcommands {
            if let way = way(to: command, from: next) { return [root] + way }
        }
        return nil
    }
}
