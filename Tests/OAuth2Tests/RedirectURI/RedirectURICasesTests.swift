import Foundation
import OAuth2
import Testing

/// The case table of docs/rules/authorization-request.md R1 to R7.
@Suite struct RedirectURICasesTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let registered: String
        /// Of a registration the same as ``registered``, or absent.
        let requested: String?
        let accept: Bool
        let why: String?
        let phase: String
        let client: String
        let options: [String]?
        var testDescription: String { "\(phase) \(requested ?? registered): \(why ?? "")" }

        var rules: RedirectURIRules {
            RedirectURIRules(isNative: client == "native", allowsLocalhost: options?.contains("localhost") ?? false)
        }
    }

    static let table: Result<[Case], any Error> = {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/cases/redirect_uri_cases.json").standardized
        let own = Bundle.module.url(forResource: "redirect_uri_cases", withExtension: "json", subdirectory: "Cases")
        // A shared table that cannot be read is an error, for a test to show: the copy never stands in for it.
        let isShared = FileManager.default.fileExists(atPath: shared.path(percentEncoded: false))
        return Result {
            try JSONDecoder().decode([Case].self, from: Data(contentsOf: isShared ? shared : own ?? shared))
        }
    }()

    static let cases = (try? table.get()) ?? []

    @Test func `the table is not empty`() throws { #expect(try Self.table.get().count >= 60) }

    @Test(arguments: cases.filter { $0.phase == "registration" })
    func `a registration is decided as the table says`(row: Case) {
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        #expect((registered != nil) == row.accept)
    }

    @Test(arguments: cases.filter { $0.phase == "request" })
    func `a request is decided as the table says`(row: Case) {
        // What cannot be registered matches nothing.
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        #expect((registered?.matches(Array((row.requested ?? row.registered).utf8)) ?? false) == row.accept)
    }
}
