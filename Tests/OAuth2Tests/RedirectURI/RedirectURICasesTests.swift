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

        private enum CodingKeys: String, CodingKey {
            case registered, requested, accept, why, phase, client, options
        }

        init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: CodingKeys.self)
            registered = try row.decode(String.self, forKey: .registered)
            requested = try row.decodeIfPresent(String.self, forKey: .requested)
            accept = try row.decode(Bool.self, forKey: .accept)
            why = try row.decodeIfPresent(String.self, forKey: .why)
            phase = try row.decode(Phase.self, forKey: .phase)
            client = try row.decode(Kind.self, forKey: .client)
            options = try row.decodeIfPresent([Option].self, forKey: .options)
            guard phase == .request, requested == nil else { return }
            try decoder.requireNoInput(
                besides: ["requested"],
                among: [
                    "registered", "accept", "phase", "client", "options", "http_status", "redirected", "error",
                ])
        }

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
            good.replacing("\"options\"", with: #""requested_hex": "61", "options""#),
            good.replacing("\"options\"", with: #""requested": "a.b:/c", "heading": "any", "options""#),
        ]
        let table = Data("[\(rows.joined(separator: ","))]".utf8)
        let read = try JSONDecoder().decode([TableRow<Case>].self, from: table)
        #expect(read.map { $0.problem == nil } == [true, false, false, false, true, false, true])
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
