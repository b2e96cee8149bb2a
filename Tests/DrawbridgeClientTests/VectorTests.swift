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

    private static let topics = Set(cases.map(\.topic)).sorted()

    /// What this library lacks, by need and by case, each with its reason.
    private static let skips: (needs: Set<String>, cases: Set<String>) = {
        let file = clients.appendingPathComponent("swift/skips.json")
        let document = (try? Data(contentsOf: file)).flatMap { JSONValue.parse(Array($0))?.object }
        func names(_ kind: String) -> Set<String> { Set(document?[kind]?.object?.keys.map { $0 } ?? []) }
        return (names("needs"), names("cases"))
    }()

    private static let server = Task { try await VectorServer(cases).start() }

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
}
