import Bridge
import Foundation
import OAuth2
import TestSupport
import Testing

/// The case table of docs/rules/return-path.md.
@Suite struct ReturnPathCasesTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let allow: [String]
        let accept: Bool
        let why: String?
        /// As the parameter stands in the address; `nil` where it does not.
        let wire: String?
        let whatwg: String?
        var testDescription: String { "\(wire ?? "absent"): \(why ?? "")" }

        private enum CodingKeys: String, CodingKey {
            case allow, accept, why, wire, whatwg, input
            case inputInHex = "input_hex"
        }

        init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: CodingKeys.self)
            allow = try row.decode([String].self, forKey: .allow)
            accept = try row.decode(Bool.self, forKey: .accept)
            why = try row.decodeIfPresent(String.self, forKey: .why)
            whatwg = try row.decodeIfPresent(String.self, forKey: .whatwg)
            if let wire = try row.decodeIfPresent(String.self, forKey: .wire) {
                self.wire = wire
            } else if let digits = try row.decodeIfPresent(String.self, forKey: .inputInHex).map({ Array($0) }) {
                guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .inputInHex, in: row, debugDescription: "no bytes in hexadecimal digits")
                }
                wire = stride(from: 0, to: digits.count, by: 2).map { "%\(digits[$0])\(digits[$0 + 1])" }.joined()
            } else {
                wire = try row.decodeIfPresent(String.self, forKey: .input).map { PercentEncoding.encode($0) }
            }
            guard wire == nil else { return }
            try decoder.requireNoInput(besides: ["wire", "input", "input_hex"], among: ["allow", "accept", "whatwg"])
        }
    }

    static let table = CaseTable.read("return_path_cases", as: [TableRow<Case>].self)
    static let cases = ((try? table.get()) ?? []).compactMap(\.content)

    @Test func `the table is not empty`() throws { #expect(try Self.table.get().count >= 80) }

    @Test func `every row can be read`() throws { #expect(try Self.table.get().compactMap(\.problem) == []) }

    @Test func `a row is read by its wire form, its bytes or its text, and one that has no bytes fails alone`() throws {
        let rows = [
            #""wire": "%2Fa""#, #""input": "/é?", "input_hex": "2FfF""#, #""input": "/é?""#, #""input_hex": "2""#,
            #""input_hex": "xy""#, #""wire": 1"#, #""why": "absent""#, #""wire": null, "heading": "absent""#,
            #""wire": "%2Fa", "heading": "any""#, #""input_base64": "L2E=""#, #""input": null, "input_base64": "L2E=""#,
        ].map { #"{"allow": ["/a"], "accept": false, \#($0)}"# }
        let table = Data("[\(rows.joined(separator: ","))]".utf8)
        let read = try JSONDecoder().decode([TableRow<Case>].self, from: table)
        #expect(
            read.map(\.content?.wire) == [
                "%2Fa", "%2F%fF", "%2F%C3%A9%3F", nil, nil, nil, nil, nil, "%2Fa", nil, nil,
            ])
        #expect(
            read.map { $0.problem == nil } == [
                true, true, true, false, false, false, true, true, true, false, false,
            ])
    }

    @Test(arguments: cases)
    func `a case is decided as the table says`(row: Case) throws {
        // As a redemption reads it.
        let form = try FormParameters(keepingMalformed: Array((row.wire.map { "redirect=\($0)" } ?? "").utf8))
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
