import DrawbridgeClient
import Foundation
import OAuth2
import Testing
import VectorServer

/// Plays every case of `clients/vectors` that concerns this library; the scripted server says what is wrong.
@Suite struct VectorTests {
    private static let clients = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("clients")

    private static let cases = (try? VectorCase.load(from: clients.appendingPathComponent("vectors/cases"))) ?? []

    private static let advice = Result {
        try VectorAdvice.load(besideCases: clients.appendingPathComponent("vectors/cases"))
    }

    private static let topics = Set(cases.map(\.topic)).sorted()

    /// What this library lacks, by need and by case, each with its reason.
    private static let skips: (needs: Set<String>, cases: Set<String>) = {
        let file = clients.appendingPathComponent("swift/skips.json")
        let document = (try? Data(contentsOf: file)).flatMap { JSONValue.parse(Array($0))?.object }
        func names(_ kind: String) -> Set<String> { Set(document?[kind]?.object?.keys.map { $0 } ?? []) }
        return (names("needs"), names("cases"))
    }()

    private static let server = Task { try await VectorServer(cases, advice.get()).start() }

    @Test func `there are cases, and what is skipped is among them`() {
        #expect(Self.cases.count > 300)
        #expect(Self.skips.cases.isSubset(of: Set(Self.cases.map(\.id))))
        #expect(Self.skips.needs.isSubset(of: Set(Self.cases.flatMap(\.needs))))
    }

    @Test(arguments: topics)
    func `the library does what the cases of the topic say`(_ topic: String) async throws {
        let server = try await Self.server.value
        let concerned = Self.cases.filter {
            $0.topic == topic && !Self.skips.cases.contains($0.id) && Self.skips.needs.isDisjoint(with: $0.needs)
        }
        #expect(!concerned.isEmpty)
        for vector in concerned {
            let problems = try await VectorPlay(server).play(vector.id)
            #expect(problems == [], "\(vector.id)")
        }
    }

    /// Those of the cases and those that no provider can bring about, such as a store that does not work.
    @Test func `every error has a name of the list, and tells what it says there`() throws {
        let advice = try Self.advice.get()
        let errors: [ClientError] =
            [
                .configuration("x"), .unreachable("x"), .comeBackLater(seconds: 7), .comeBackLater(seconds: nil),
                .unexpectedAnswer("x"), .notSignedIn, .secretStore("x"), .signedOutHereOnly("x"), .cancelled, .timedOut,
            ]
            + [ProviderFlaw.otherIssuer, .endpoint("x"), .noPKCE, .malformed("x")].map { .provider($0) }
            + [AnswerFlaw.otherAddress, .malformed, .foreignState, .otherIssuer, .noCode].map { .answer($0) }
            + [
                IDTokenFlaw.missing, .malformed, .algorithm, .unknownKey, .signature, .issuer, .audience, .expired,
                .issuedInFuture, .nonce, .authenticationTime, .subject, .accessTokenHash, .deviceSecretHash,
            ].map { .idToken($0) }
        let codes = advice.names.compactMap { $0.hasPrefix("refused.") ? String($0.dropFirst(8)) : nil }
        let refusals = (codes + ["temporarily_unavailable"]).map { ClientError.refused(OAuthRefusal(code: $0)) }
        for error in errors + refusals {
            var code: String?
            if case .refused(let refusal) = error { code = refusal.code }
            let text = try #require(advice.text(of: error.name, code: code), "\(error.name)")
            let said = try #require(error.recoverySuggestion)
            #expect(said.lowercased().contains(text.lowercased()), "\(error.name)")
        }
        let named = Set((errors + refusals).map(\.name)).union(codes.map { "refused.\($0)" })
        #expect(named == advice.names)
    }
}
