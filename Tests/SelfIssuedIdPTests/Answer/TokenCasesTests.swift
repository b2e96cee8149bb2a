import Foundation
import Testing

@testable import SelfIssuedIdP

/// The cases that websites check tokens with: what is accepted there is read here with the same result, and what the
/// phone writes has the shape of an accepted one.
@Suite struct TokenCasesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let form: String
        let thumbprint: String
        let algorithm: String
        let token: CompactJWS

        var testDescription: String { why }

        /// The key, wherever the form has it.
        var key: PublicKey? {
            let issuer = token.claims["iss"]?.string
            return (token.claims["sub_jwk"] ?? issuer?.jwk).flatMap { PublicKey(jwk: $0) }
        }
    }

    static let table: Result<JSONValue, any Error> = {
        let shared = URL(filePath: #filePath).appending(path: "../../../../../shared/cases/siop_token_cases.json")
            .standardized
        let own = Bundle.module.url(forResource: "siop_token_cases", withExtension: "json", subdirectory: "Cases")
        // A shared table that cannot be read is an error, for a test to show: the copy never stands in for it.
        let isShared = FileManager.default.fileExists(atPath: shared.path(percentEncoded: false))
        return Result {
            try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: isShared ? shared : own ?? shared))
        }
    }()

    /// Those that are accepted, in a spelling that the phone writes too.
    static let accepted: [Case] = {
        guard case .array(let cases) = (try? table.get())?["cases"] ?? .null else { return [] }
        return cases.compactMap { item in
            let why = item["why"]?.string ?? ""
            guard item["expect"]?["accept"] == true,
                let form = item["expect"]?["form"]?.string, let thumbprint = item["expect"]?["thumbprint"]?.string,
                let algorithm = item["expect"]?["alg"]?.string, KeyAlgorithm(rawValue: algorithm) != nil,
                let token = item["params"]?["id_token"]?.string.flatMap({ CompactJWS($0) })
            else { return nil }
            let read = Case(why: why, form: form, thumbprint: thumbprint, algorithm: algorithm, token: token)
            return read.key == nil ? nil : read
        }
    }()

    @Test func `there are cases of every form that the phone writes`() throws {
        _ = try Self.table.get()
        #expect(Set(Self.accepted.map(\.form)).isSuperset(of: ["seed2012", "core7", "siopv2"]))
        #expect(Set(Self.accepted.map(\.algorithm)) == ["ES256", "RS256"])
    }

    @Test(arguments: accepted)
    func `an accepted token has the thumbprint and the signature that are expected`(_ item: Case) throws {
        let key = try #require(item.key)
        #expect(key.thumbprint == item.thumbprint)
        #expect(key.algorithm.rawValue == item.algorithm)
        #expect(item.token.isSigned(by: key))
    }

    @Test(arguments: [(AnswerForm.binding2012, "seed2012"), (.core, "core7"), (.v2, "siopv2")])
    func `a token of the phone has all that every accepted one of its form has`(
        _ form: AnswerForm, _ name: String
    ) async throws {
        var options = SelfIssuedProvider.Options()
        options.form = form
        let claims = try #require(try await Phone().handle(FakeWebsite.link, options).token()?.claims.members)
        let accepted = Self.accepted.filter { $0.form == name }.compactMap { $0.token.claims.members }
        let common = accepted.dropFirst().reduce(Set(accepted.first.map { Array($0.keys) } ?? [])) { names, other in
            names.intersection(other.keys)
        }
        #expect(!common.isEmpty && common.isSubset(of: claims.keys))
        // What only some have need not be of the kind that the phone writes: nobody may look at it.
        for other in accepted {
            for (key, value) in claims where common.contains(key) {
                if let theirs = other[key] { #expect(kind(value) == kind(theirs), "\(key)") }
            }
        }
        #expect(!accepted.isEmpty)
    }

    private func kind(_ value: JSONValue) -> String {
        switch value {
        case .string: "text"
        case .integer, .number: "number"
        case .object: "object"
        // `aud` may be a list of texts.
        case .array: "text"
        default: "other"
        }
    }
}
