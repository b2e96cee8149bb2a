import Bridge
import Testing

@testable import SQLStorage

/// One outage for all connections of a process.
struct PostgresOutageTests {
    private let outage = PostgresOutage()
    private let began = ContinuousClock.now
    private let refusal = SQLError(
        kind: .interrupted, text: "connection refused", cause: .noConnection)

    @Test func `no attempt waits while nothing has failed`() throws {
        _ = try outage.begin(now: began)
        _ = try outage.begin(now: began)
    }

    @Test func `the first failure begins the outage and the second does not`() throws {
        #expect(outage.note(refusal, of: try outage.begin(now: began), now: began))
        #expect(!outage.note(refusal, of: try outage.begin(now: began + .seconds(1)), now: began + .seconds(1)))
    }

    @Test func `right after a failure everybody is refused with it as unavailable`() throws {
        _ = outage.note(refusal, of: try outage.begin(now: began), now: began)
        let failure = try #require(throws: SQLError.self) { try outage.begin(now: began + .milliseconds(1)) }
        #expect(failure.kind == .unavailable && failure.text == refusal.text)
        #expect(failure.cause == .noConnection)
    }

    @Test func `of those who ask after the pause one may try`() throws {
        _ = outage.note(refusal, of: try outage.begin(now: began), now: began)
        let later = began + .milliseconds(50)
        _ = try outage.begin(now: later)
        #expect(throws: SQLError.self) { try outage.begin(now: later) }
    }

    @Test func `the pause grows to a second and no further`() throws {
        var now = began
        for _ in 0..<20 {
            _ = outage.note(refusal, of: try outage.begin(now: now), now: now)
            now += .seconds(1)
        }
        #expect(throws: SQLError.self) { try outage.begin(now: now - .milliseconds(501)) }
        _ = try outage.begin(now: now)
    }

    @Test func `one connection that gets through ends it for all`() throws {
        _ = outage.note(refusal, of: try outage.begin(now: began), now: began)
        #expect(outage.end())
        _ = try outage.begin(now: began)
        #expect(!outage.end(), "it was over")
    }

    @Test func `a failure of an attempt that began before the server was back does not begin it again`() throws {
        let slow = try outage.begin(now: began)
        _ = outage.end()
        #expect(!outage.note(refusal, of: slow, now: began))
        _ = try outage.begin(now: began)
    }
}
