import Bridge
import OAuth2
import Testing

/// The case table of docs/rules/return-path.md.
@Suite struct ReturnPathCasesTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let allow: [String]
        let accept: Bool
        let why: String?
        let wire: String
        let whatwg: String?
        var testDescription: String { "\(wire): \(why ?? "")" }
    }

    static let table = CaseTable.read("return_path_cases", as: [Case].self)
    static let cases = (try? table.get()) ?? []

    @Test func `the table is not empty`() throws { #expect(try Self.table.get().count >= 80) }

    @Test(arguments: cases)
    func `a case is decided as the table says`(row: Case) throws {
        // As a redemption reads it.
        let form = try FormParameters(keepingMalformed: Array("redirect=\(row.wire)".utf8))
        guard let input = form.bytes("redirect"), !form.isRepeated("redirect"), let first = row.allow.first else {
            #expect(!row.accept)
            return
        }
        // Of `/a/*` the entry's own path is `/a/`.
        let fallback = row.allow.first { !$0.hasSuffix("*") } ?? String(first.dropLast())
        let policy = try ReturnPathPolicy(
            entries: row.allow, defaultPath: fallback, allowsAnyPath: row.allow.contains("/*"))
        switch policy.decide(input) {
        case .accepted(let path):
            #expect(row.accept)
            if let whatwg = row.whatwg { #expect(Self.spellings(of: path).contains(Self.target(of: whatwg))) }
        case .refused:
            #expect(!row.accept)
        }
    }

    /// Path and query of what a browser makes of an accepted path. Of the bytes that P2 allows its parser escapes one,
    /// the apostrophe in a query: the query's percent-encode set of `https` has it, the path's has none of them (WHATWG
    /// URL §1.3). It keeps a question mark with nothing behind it.
    private static func spellings(of path: ReturnPath) -> [String] {
        guard let query = path.query else { return [path.path, path.path + "?"] }
        return ["\(path.path)?\(query.replacing("'", with: "%27"))"]
    }

    /// What follows a URL's host; whose host it is differs from table to table.
    private static func target(of url: String) -> String {
        guard url.hasPrefix("https://") else { return url }
        return String(url.dropFirst("https://".count).drop { $0 != "/" })
    }
}
