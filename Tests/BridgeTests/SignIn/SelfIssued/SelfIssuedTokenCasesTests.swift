import Foundation
import OAuth2
import Testing

@testable import Bridge

/// The case table of docs/self-issued.md.
@Suite struct SelfIssuedTokenCasesTests {
    struct Table: Decodable, Sendable {
        let context: Context
        let cases: [Case]
    }

    struct Context: Decodable, Sendable {
        let clientIDs: [String]
        let nonce: String
        let now: Int64

        var terms: SelfIssuedTerms {
            SelfIssuedTerms(audiences: clientIDs, nonces: [nonce], now: Timestamp(seconds: now))
        }
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let why: String
        let params: [String: String]
        let expect: Expectation
        var testDescription: String { why }

        var answer: FormParameters {
            get throws {
                let text = params.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }
                return try FormParameters(parsing: text.joined(separator: "&").utf8)
            }
        }
    }

    struct Expectation: Decodable, Sendable {
        let accept: Bool
        let form: String?
        let thumbprint: String?
        let alg: String?
        let error: String?
    }

    static let table: Table? = {
        let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../../shared/cases/siop_token_cases.json").standardized
        let own = Bundle.module.url(forResource: "siop_token_cases", withExtension: "json", subdirectory: "Cases")
        return [shared, own].compactMap(\.self).lazy.compactMap { url in
            try? JSONDecoder().decode(Table.self, from: Data(contentsOf: url))
        }.first
    }()

    static let cases = table?.cases ?? []

    @Test func `the table is not empty`() { #expect(Self.cases.count >= 36) }

    @Test(arguments: cases)
    func `a token is decided as the table says`(row: Case) throws {
        let terms = try #require(Self.table).context.terms
        do throws(SelfIssuedRefusal.Reason) {
            let answer: FormParameters
            do { answer = try row.answer } catch { throw .malformed }
            let token = try SelfIssuedToken(answer: answer, terms: terms)
            #expect(row.expect.accept)
            #expect(token.form.rawValue == row.expect.form)
            #expect(token.thumbprint == row.expect.thumbprint)
            #expect(token.algorithm == row.expect.alg)
        } catch {
            #expect(!row.expect.accept)
            #expect(error.rawValue == row.expect.error)
        }
    }

    /// One flipped, dropped, doubled or moved character of a good token never makes another good one. The number of
    /// tries is `SELF_ISSUED_MUTATIONS`, a thousand for each good token without it.
    @Test func `mutated tokens are refused, every one`() throws {
        let context = try #require(Self.table).context
        let wanted = ProcessInfo.processInfo.environment["SELF_ISSUED_MUTATIONS"].flatMap { Int($0) }
        let good = Self.cases.filter(\.expect.accept)
        var random = SplitMix(state: 0x5EED)
        var accepted: [String] = []
        for row in good {
            let text = try #require(row.params["id_token"])
            for _ in 0..<((wanted ?? 1000 * good.count) / good.count) {
                let mutant = Self.mutate(Array(text.utf8), &random)
                guard mutant != Array(text.utf8) else { continue }
                var row = row.params
                row["id_token"] = String(decoding: mutant, as: UTF8.self)
                let pairs = row.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }
                let answer = try FormParameters(parsing: pairs.joined(separator: "&").utf8)
                if (try? SelfIssuedToken(answer: answer, terms: context.terms)) != nil {
                    accepted.append(row["id_token"] ?? "")
                }
            }
        }
        #expect(accepted.isEmpty)
    }

    private static func mutate(_ text: [UInt8], _ random: inout SplitMix) -> [UInt8] {
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
