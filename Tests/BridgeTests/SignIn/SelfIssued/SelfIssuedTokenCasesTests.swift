import Foundation
import OAuth2
import Testing
import TestSupport

@testable import Bridge

/// The case table of docs/self-issued.md.
@Suite struct SelfIssuedTokenCasesTests {
    struct Table: Decodable, Sendable {
        let context: Context
        let cases: [TableRow<Case>]
    }

    struct Context: Decodable, Sendable {
        let clientIDs: [String]
        let nonce: String
        let now: Int64
    }

    struct OwnContext: Decodable, Sendable {
        let clientIDs: [String]?
        let nonce: String?
        let now: Int64?
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let why: String?
        let params: [String: JSONValue?]
        let expect: Expectation
        /// Here, or beside the parameters, a row says what is otherwise as the table's context has it.
        let context: OwnContext?
        let clientIDs: [String]?
        let nonce: String?
        let now: Int64?
        var testDescription: String { why ?? params.keys.sorted().joined(separator: ", ") }

        /// A form holds texts: what is none is absent.
        var texts: [String: String] { params.compactMapValues { $0?.string } }

        func terms(in table: Context) -> SelfIssuedTerms {
            SelfIssuedTerms(
                audiences: context?.clientIDs ?? clientIDs ?? table.clientIDs,
                nonces: [context?.nonce ?? nonce ?? table.nonce],
                now: Timestamp(seconds: context?.now ?? now ?? table.now))
        }
    }

    struct Expectation: Decodable, Sendable {
        let accept: Bool
        let form: String?
        let thumbprint: String?
        let alg: String?
        let error: String?
    }

    static let table = CaseTable.read("siop_token_cases", as: Table.self)
    static let cases = ((try? table.get().cases) ?? []).compactMap(\.content)

    @Test func `the table is not empty`() throws { #expect(try Self.table.get().cases.count >= 36) }

    @Test func `every row can be read`() throws { #expect(try Self.table.get().cases.compactMap(\.problem) == []) }

    @Test func `a row with a time, a nonce or audiences of its own is judged by those`() throws {
        let table = Context(clientIDs: ["a"], nonce: "n", now: 1)
        let rows = ["", #", "now": 2, "nonce": "m""#, #", "context": {"clientIDs": ["b"], "now": 3}, "note": "any""#]
            .map { #"{"params": {}, "expect": {"accept": false}\#($0)}"# }
        let read = try JSONDecoder().decode([Case].self, from: Data("[\(rows.joined(separator: ","))]".utf8))
        let terms = read.map { $0.terms(in: table) }
        #expect(terms.map(\.audiences) == [["a"], ["a"], ["b"]])
        #expect(terms.map(\.nonces) == [["n"], ["m"], ["n"]])
        #expect(terms.map(\.now) == [1, 2, 3].map { Timestamp(seconds: $0) })
    }

    @Test(arguments: cases)
    func `a token is decided as the table says`(row: Case) throws {
        let terms = row.terms(in: try Self.table.get().context)
        do throws(SelfIssuedRefusal.Reason) {
            let answer: FormParameters
            do { answer = try Self.answer(of: row.texts) } catch { throw .malformed }
            let token = try SelfIssuedToken(answer: answer, terms: terms)
            #expect(row.expect.accept)
            #expect(token.form.rawValue == row.expect.form ?? token.form.rawValue)
            #expect(token.thumbprint == row.expect.thumbprint ?? token.thumbprint)
            #expect(token.algorithm.rawValue == row.expect.alg ?? token.algorithm.rawValue)
        } catch {
            #expect(!row.expect.accept)
            #expect(error.rawValue == row.expect.error ?? error.rawValue)
        }
    }

    private static func answer(of parameters: [String: String]) throws -> FormParameters {
        let pairs = parameters.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }
        return try FormParameters(parsing: pairs.joined(separator: "&").utf8)
    }

    /// One flipped, dropped, doubled or moved character of a good token never makes another good one. The number of
    /// tries is `SELF_ISSUED_MUTATIONS`, twelve thousand without it.
    @Test func `mutated tokens are refused, every one`() throws {
        let context = try Self.table.get().context
        let wanted = ProcessInfo.processInfo.environment["SELF_ISSUED_MUTATIONS"].flatMap { Int($0) }
        let good = Self.cases.filter(\.expect.accept)
        var random = SplitMix64(seed: 0x5EED)
        var accepted: [String] = []
        for row in good {
            let (texts, terms) = (row.texts, row.terms(in: context))
            let text = try #require(texts["id_token"])
            for _ in 0..<max(1, (wanted ?? 12_000) / good.count) {
                let mutant = Self.mutate(Array(text.utf8), &random)
                guard mutant != Array(text.utf8) else { continue }
                let mutated = String(decoding: mutant, as: UTF8.self)
                let answer = try Self.answer(of: texts.merging(["id_token": mutated]) { $1 })
                if (try? SelfIssuedToken(answer: answer, terms: terms)) != nil { accepted.append(mutated) }
            }
        }
        #expect(accepted.isEmpty)
    }

    private static func mutate(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var text = text
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/\u{0} ".utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let index = text.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: text[index] = alphabet.randomElement(using: &random) ?? 0
            case 1: text[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            case 2: text.remove(at: index)
            case 3: text.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
            case 4: text.swapAt(index, text.indices.randomElement(using: &random) ?? index)
            default: text = Array(text.prefix(index))
            }
        }
        return text
    }
}
