import Foundation
import Testing

/// What code and tests refer to is in the repository, under the number that they give.
@Suite struct CitationTests {
    private static let root = TemporaryFolder.package

    /// Files of some kinds below some folders, by their path in the package.
    private static func texts(below folders: [String], of kinds: Set<String>) -> [String: String] {
        var texts: [String: String] = [:]
        for folder in folders {
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path(percentEncoded: false))
            while let name = names?.nextObject() as? String {
                guard let kind = name.split(separator: ".").last, kinds.contains(String(kind)),
                    !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }),
                    let text = try? String(contentsOf: root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
                else { continue }
                texts["\(folder)/\(name)"] = text
            }
        }
        return texts
    }

    private static let pages: [String: String] = {
        var pages = texts(below: ["docs", "bench", "deploy", "model", "Tests", "clients"], of: ["md"])
        for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md"] {
            pages[name] = try? String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
        return pages
    }()

    private static let citations = Citations(pages: pages)

    private static let sources: [String: String] = {
        var sources = texts(
            below: ["Sources", "Tests", "Config", "deploy", "bench"], of: ["swift", "py", "yaml", "json", "sh"])
        sources["Package.swift"] = try? String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        // Generated from what is read here anyway; and these two, which cite what does not exist.
        return sources.filter { path, _ in
            !path.hasSuffix("EmbeddedFiles.swift") && !path.hasSuffix("/Citations.swift")
                && !path.hasSuffix("/CitationTests.swift")
        }
    }()

    @Test func `every citation in code and tests leads somewhere`() {
        #expect(Self.sources.count > 500)
        for (path, text) in Self.sources {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(Self.citations.unresolved(in: lines) == [], "\(path)")
        }
    }

    @Test func `every citation and every link of a page leads somewhere`() {
        #expect(Self.pages.count > 30)
        for (path, text) in Self.pages {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(Self.citations.unresolved(in: lines) == [], "\(path)")
            let broken = Self.citations.brokenLinks(of: path, text, pages: Self.pages) { target in
                FileManager.default.fileExists(
                    atPath: Self.root.appending(path: target).path(percentEncoded: false))
            }
            #expect(broken == [], "\(path)")
        }
    }

    @Test func `the index of decisions has their titles`() throws {
        let folder = "docs/adr/"
        let index = try #require(Self.pages["\(folder)README.md"])
        let listed = index.split(separator: "\n").filter { $0.hasPrefix("* [ADR-") }.map(String.init)
        let titles = Self.pages.compactMap { path, text -> String? in
            guard path.hasPrefix("\(folder)ADR-") else { return nil }
            let file = path.dropFirst(folder.count)
            let number = file.prefix("ADR-0000".count)
            let title = text.prefix { $0 != "\n" }.dropFirst("# \(number): ".count)
            return "* [\(number)](\(file)) \(title)"
        }
        #expect(listed == titles.sorted())
    }

    @Test(arguments: [
        ("/// A refusal (contract §99.9).", "contract §99.9"),
        ("/// Contract §3, §4.2 and §98: codes.", "contract §98"),
        ("/// Slows down guessing (contract\n    /// §97).", "contract §97"),
        ("// As docs/nowhere.md says.", "docs/nowhere.md"),
        ("# boundaries.md has it", "boundaries.md"),
        ("/// Why: ADR-9999.", "ADR-9999"),
        ("/// In the order of native-oauth C.1.", "native-oauth"),
        ("/// A bad redirect never fails the sign-in (seed 002, test 4).", "seed 002"),
        ("/// A bound (boundaries F7).", "boundaries F7"),
        (
            "/// Compared as bytes (docs/rules/authorization-request.md R1 to R99).",
            "docs/rules/authorization-request.md R99"
        ),
        ("/// Never followed (docs/rules/return-path.md Z1).", "docs/rules/return-path.md Z1"),
    ])
    func `a planted citation of what is not there is found`(_ text: String, _ found: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(Self.citations.unresolved(in: lines) == [found])
    }

    @Test(arguments: [
        "/// One answer (contract §4.3, §16.5 and §11; RFC 9700 §4.12).", "// docs/rules/return-path.md P1 to P6.",
        "/// ADR-0017, and docs/sessions.md.", "/// (OpenID Connect Core §15.5.2.)",
    ])
    func `a citation of what is there is not`(_ text: String) {
        #expect(Self.citations.unresolved(in: [text[...]]) == [])
    }

    @Test(arguments: ["nowhere.md", "clients.md#no-such-heading", "../Config/nothing.yaml", "#nothing"])
    func `a planted link that leads nowhere is found`(_ target: String) {
        let text = "See [that](\(target)) and [all fields](clients.md#all-fields)."
        #expect(
            Self.citations.brokenLinks(of: "docs/x.md", text, pages: Self.pages.merging(["docs/x.md": text]) { $1 }) {
                _ in false
            } == [target])
    }
}
