import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Says another name every time it is asked.
private final class CountingClaims: UserClaimsSource {
    private let asked = Mutex(0)

    func claims(of subject: Subject) -> [String: JSONValue] {
        let count = asked.withLock { asked in
            asked += 1
            return asked
        }
        return ["name": .string("\(subject.rawValue) \(count)")]
    }
}

@Suite struct RememberedUserClaimsTests {
    private let clock = FixedClock()

    private func name(of subject: Subject, _ claims: RememberedUserClaims) async throws -> String? {
        try await claims.claims(of: subject)["name"]?.string
    }

    @Test func `a user is looked up twice a second, each one for itself`() async throws {
        let claims = RememberedUserClaims(CountingClaims(), time: clock.source)
        #expect(try await name(of: "alice", claims) == "alice 1")
        clock.advance(.milliseconds(499))
        #expect(try await name(of: "alice", claims) == "alice 1")
        #expect(try await name(of: "bob", claims) == "bob 2")
        clock.advance(.milliseconds(1))
        #expect(try await name(of: "alice", claims) == "alice 3")
    }

    @Test func `a change by this process is seen at once`() async throws {
        let claims = RememberedUserClaims(CountingClaims(), time: clock.source)
        #expect(try await name(of: "alice", claims) == "alice 1")
        claims.forget("alice")
        #expect(try await name(of: "alice", claims) == "alice 2")
    }

    @Test func `what is forgotten of a user is forgotten of the claims`() async throws {
        try await withService { service async throws in
            let claims = RememberedUserClaims(CountingClaims(), time: clock.source)
            let subjects = Subjects(store: service.storage, claims: claims, time: clock.source)
            #expect(try await name(of: "alice", claims) == "alice 1")
            subjects.forget("alice")
            #expect(try await name(of: "alice", claims) == "alice 2")
        }
    }
}
