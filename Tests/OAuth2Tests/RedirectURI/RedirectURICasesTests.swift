import Foundation
import OAuth2
import TestSupport
import Testing

/// The case table of docs/rules/authorization-request.md R1 to R7.
@Suite struct RedirectURICasesTests {
    // A row with another word than these cannot be read: what nobody plays, no test would miss.

    enum Phase: String, Decodable { case registration, request }

    enum Kind: String, Decodable { case native, web }

    enum Option: String, Decodable { case localhost }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let registered: String
        /// Of a registration the same as ``registered``, or absent; a request without it has none.
        let requested: String?
        let accept: Bool
        let why: String?
        let phase: Phase
        let client: Kind
        let options: [Option]?
        var testDescription: String { "\(phase) \(requested ?? registered): \(why ?? "")" }

        var rules: RedirectURIRules {
            RedirectURIRules(isNative: client == .native, allowsLocalhost: options?.contains(.localhost) ?? false)
        }
    }

    static let table: Result<[TableRow<Case>], any Error> = {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/cases/redirect_uri_cases.json").standardized
        let own = Bundle.module.url(forResource: "redirect_uri_cases", withExtension: "json", subdirectory: "Cases")
        // A shared table that cannot be read is an error, for a test to show: the copy never stands in for it.
        let isShared = FileManager.default.fileExists(atPath: shared.path(percentEncoded: false))
        return Result {
            try JSONDecoder().decode([TableRow<Case>].self, from: Data(contentsOf: isShared ? shared : own ?? shared))
        }
    }()

    static let cases = ((try? table.get()) ?? []).compactMap(\.content)

    @Test func `the table is not empty`() throws { #expect(try Self.table.get().count >= 60) }

    @Test func `every row can be read`() throws { #expect(try Self.table.get().compactMap(\.problem) == []) }

    @Test func `a row that says what nobody looks at fails alone`() throws {
        let good = #"{"registered": "a.b:/c", "accept": true, "phase": "request", "client": "native", "options": []}"#
        let rows = [
            good, good.replacing("request", with: "answer"), good.replacing("native", with: "service"),
            good.replacing("[]", with: #"["port"]"#), good,
        ]
        let table = Data("[\(rows.joined(separator: ","))]".utf8)
        let read = try JSONDecoder().decode([TableRow<Case>].self, from: table)
        #expect(read.map { $0.problem == nil } == [true, false, false, false, true])
    }

    @Test(arguments: cases.filter { $0.phase == .registration })
    func `a registration is decided as the table says`(row: Case) {
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        #expect((registered != nil) == row.accept)
    }

    @Test(arguments: cases.filter { $0.phase == .request })
    func `a request is decided as the table says`(row: Case) {
        // What cannot be registered matches nothing.
        let registered = try? RedirectURI(registering: row.registered, rules: row.rules)
        let matches = row.requested.flatMap { registered?.matches(Array($0.utf8)) } ?? false
        #expect(matches == row.accept)
    }
}
