import Foundation
import OAuth2
import Testing

/// The case table of docs/rules/authorization-request.md R1 to R7.
@Suite struct RedirectURICasesTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let registered: String
        let requested: String
        let accept: Bool
        let why: String
        let phase: String
        let client: String
        let options: [String]?
        var testDescription: String { "\(phase) \(requested): \(why)" }

        var rules: RedirectURIRules {
            RedirectURIRules(isNative: client == "native", allowsLocalhost: options?.contains("localhost") ?? false)
        }
    }

    static let cases: [Case] = {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/cases/redirect_uri_cases.json").standardized
        let own = Bundle.module.url(forResource: "redirect_uri_cases", withExtension: "json", subdirectory: "Cases")
        for url in [shared, own].compactMap(\.self) {
            if let bytes = try? Data(contentsOf: url), let cases = try? JSONDecoder().decode([Case].self, from: bytes) {
                return cases
            }
        }
        return []
    }()

    @Test func `the table is not empty`() { #expect(Self.cases.count >= 60) }

    @Test(arguments: cases.filter { $0.phase == "registration" })
    func `a registration is decided as the table says`(row: Case) {
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        #expect((registered != nil) == row.accept)
    }

    @Test(arguments: cases.filter { $0.phase == "request" })
    func `a request is decided as the table says`(row: Case) {
        // What cannot be registered matches nothing.
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        #expect((registered?.matches(Array(row.requested.utf8)) ?? false) == row.accept)
    }
}
