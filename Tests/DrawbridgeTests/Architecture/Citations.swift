import Foundation

/// What the repository's pages have to cite, and what of a text cannot be found there.
///
/// A citation that leads nowhere is worse than none: it says that a reason exists which nobody can read.
struct Citations: Sendable {
    /// The numbers of docs/contract.md: `4`, `16.5`.
    private let sections: Set<String>
    /// The labels of each page under docs/rules, by the page's path.
    private let rules: [String: Set<String>]
    /// The numbers of decisions.
    private let decisions: Set<String>
    /// Every page, by its path in the package.
    private let pages: Set<String>

    /// - Parameter pages: the text of every Markdown file, by its path in the package.
    init(pages: [String: String]) {
        self.pages = Set(pages.keys)
        sections = Set(
            (pages["docs/contract.md"] ?? "").matches(
                of: /(?:^|\n)(?:#+ |\d+\. \*\*|\* \*\*)§(?<number>\d+(?:\.\d+)?)\b/
            ).map { String($0.number) })
        rules = pages.filter { $0.key.hasPrefix("docs/rules/") }.mapValues { text in
            Set(text.matches(of: /(?:^|\n)\*\*(?<label>[A-Z]\d+)\./).map { String($0.label) })
        }
        decisions = Set(
            pages.keys.compactMap { $0.firstMatch(of: /^docs\/adr\/(?<name>ADR-\d{4})-/).map { String($0.name) } })
    }

    /// Every citation of a file that leads nowhere.
    func unresolved(in lines: [Substring]) -> [String] {
        let text = Self.citing(lines)
        return sectionFaults(text) + pageFaults(text) + decisionFaults(text) + Self.foreign(text)
    }

    private static let mark = Result { try LinePattern("§|\\.md|ADR-|seed|native-oauth|boundaries") }

    /// The few lines that may cite, each with its neighbours, because a citation may be wrapped; without the marks of
    /// comments, and those beside each other as one line.
    private static func citing(_ lines: [Substring]) -> String {
        guard let mark = try? mark.get() else { return "the pattern does not compile.md" }
        let marked = IndexSet(lines.indices.filter { mark.occurs(in: lines[$0]) })
        let wanted = marked.reduce(into: IndexSet()) { wanted, index in
            wanted.insert(integersIn: max(index - 1, 0)...min(index + 1, lines.count - 1))
        }
        return wanted.rangeView.map { range in
            lines[range].map { line in line.drop { $0 == " " }.drop { $0 == "/" || $0 == "#" }.drop { $0 == " " } }
                .joined(separator: " ")
        }.joined(separator: "\n")
    }

    /// `contract §4.3`, and what goes on behind it: `contract §3, §4.2 and §11`.
    private func sectionFaults(_ text: String) -> [String] {
        text.matches(of: /[Cc]ontract (?<list>§\d+(?:\.\d+)?(?:(?:, | and | to |; )§\d+(?:\.\d+)?)*)/).flatMap {
            match in
            match.list.matches(of: /§(?<number>\d+(?:\.\d+)?)/).map { String($0.number) }
        }.filter { !sections.contains($0) }.map { "contract §\($0)" }
    }

    /// A page, and for one of rules its labels: `docs/rules/return-path.md P1 to P6`.
    private func pageFaults(_ text: String) -> [String] {
        text.matches(
            of: /(?<page>[A-Za-z0-9_\-.\/]+\.md)\b(?<labels>(?: | to | and |, )[A-Z]\d+(?:(?: to | and |, )[A-Z]\d+)*)?/
        ).flatMap { match in
            let page = String(match.page.trimmingPrefix(/(?:\.*\/)+/))
            guard let path = pages.first(where: { $0 == page || $0.hasSuffix("/\(page)") }) else { return [page] }
            guard let known = rules[path], let labels = match.labels else { return [] }
            return labels.matches(of: /[A-Z]\d+/).map { String($0.output) }.filter { !known.contains($0) }.map {
                "\(page) \($0)"
            }
        }
    }

    private func decisionFaults(_ text: String) -> [String] {
        text.matches(of: /ADR-\d{4}\b/).map { String($0.output) }.filter { !decisions.contains($0) }
    }

    /// Names of papers that are not in the repository.
    private static func foreign(_ text: String) -> [String] {
        text.matches(of: /\bnative-oauth\b|\bseed \d{3}\b|\bthe seed's\b|\bboundaries F\d+/).map { String($0.output) }
    }

    /// Every link of a page that leads nowhere: to no file, or to no heading of a page.
    /// - Parameter files: every file of the package that is no page.
    func brokenLinks(of page: String, _ text: String, pages: [String: String], files: (String) -> Bool) -> [String] {
        text.matches(of: /\]\((?<target>[^)\s]+)\)/).map { String($0.target) }.filter { target in
            guard !target.contains("://"), !target.hasPrefix("mailto:") else { return false }
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? page : Self.resolved(String(parts[0]), from: page)
            guard let other = pages[path] else { return !files(path) }
            return parts.count > 1 && !Self.anchors(of: other).contains(String(parts[1]))
        }
    }

    /// `../a.md` from `docs/adr/b.md` is `docs/a.md`.
    private static func resolved(_ target: String, from page: String) -> String {
        var parts = page.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// What a heading can be linked by, as the usual viewers of Markdown make it.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                    .map { $0 == " " ? "-" : String($0) }.joined()
            })
    }
}
