import Bridge
import Foundation
import OAuth2
import Testing

/// The case table of docs/rules/return-path.md.
@Suite struct ReturnPathCasesTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let allow: [String]
        let accept: Bool
        let why: String
        let wire: String
        let whatwg: String?
        var testDescription: String { "\(wire): \(why)" }
    }

    static let cases: [Case] = {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/cases/return_path_cases.json").standardized
        let own = Bundle.module.url(forResource: "return_path_cases", withExtension: "json", subdirectory: "Cases")
        for url in [shared, own].compactMap(\.self) {
            if let bytes = try? Data(contentsOf: url), let cases = try? JSONDecoder().decode([Case].self, from: bytes) {
                return cases
            }
        }
        return []
    }()

    @Test func `the table is not empty`() { #expect(Self.cases.count >= 80) }

    @Test(arguments: cases)
    func `a case is decided as the table says`(row: Case) throws {
        let form = try FormParameters(parsing: "redirect=\(row.wire)".utf8)
        // Of `/a/*` the entry's own path is `/a/`.
        let fallback = row.allow.first { !$0.hasSuffix("*") } ?? row.allow.first.map { String($0.dropLast()) }
        let policy = try ReturnPathPolicy(entries: row.allow, defaultPath: try #require(fallback))
        guard let input = form.bytes("redirect") else {
            #expect(!row.accept)
            return
        }
        switch policy.decide(input) {
        case .accepted(let path):
            #expect(row.accept)
            let origin = "https://web.example"
            if let whatwg = row.whatwg {
                #expect(whatwg == origin + path.serialized || whatwg == origin + path.serialized + "?")
            }
        case .refused:
            #expect(!row.accept)
        }
    }
}
