import NIOCore
import Testing

@testable import Federation

/// What the log is told of a server that gives no answer (docs/operations.md, Answers are 503).
@Suite struct FetchObstacleTests {
    /// Tries again as the service does, but not for as long: still long enough for one try to end, TLS included, on a
    /// machine that is busy. Never shut down, as the service's own.
    private static let connection = IssuerConnection(
        limits: FetchLimits(), client: .withoutRedirects(connectingWithin: .seconds(3)))

    private func failure(at url: String) async throws -> IssuerConnection.Failure? {
        let url = try #require(EndpointURL(url))
        do {
            _ = try await Self.connection.get(url)
            return nil
        } catch let error as IssuerConnection.Failure {
            return error
        }
    }

    @Test func `that nobody listens is told after the last try, and not that the time is up`() async throws {
        let told = try await failure(at: "http://127.0.0.1:9/keys")
        #expect(told == .unreachable(.nobody))
        #expect(told?.description == "nobody listens there now")
    }

    @Test func `that TLS fails is told after the last try, and not that the time is up`() async throws {
        try await IssuerServer.run { _, origin in
            let told = try await failure(at: origin.replacing("http://", with: "https://") + "/keys")
            #expect(told?.description.hasPrefix("TLS fails: ") == true)
        }
    }
}
