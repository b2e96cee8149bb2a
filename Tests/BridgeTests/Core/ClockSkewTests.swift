import Testing

@testable import Bridge

/// Two nodes over one database whose clocks differ: each decides by its own (ADR-0010).
@Suite struct ClockSkewTests {
    /// How far the other node's clock is from the first one's: what is tolerated, on either side.
    static let skews = [Duration.seconds(-5), .seconds(5)]

    /// The first node, and another whose clock shows `skew` more.
    private func withNodes(_ skew: Duration, _ body: (Service, Service) async throws -> Void) async throws {
        try await withService { first in
            let other = try Service(storage: first.storage)
            other.clock.advance(skew)
            try await body(first, other)
        }
    }

    private static func pass(_ duration: Duration, _ nodes: Service...) {
        for node in nodes { node.clock.advance(duration) }
    }

    @Test(arguments: skews) func `a token is good on the other node at once`(_ skew: Duration) async throws {
        try await withNodes(skew) { first, other in
            let token = try await first.issue().token
            #expect(try await other.open(token).opened != nil)
        }
    }

    @Test(arguments: [
        // A clock that is ahead shortens the minute, one that is behind makes it longer, by no more than the difference.
        (Duration.seconds(5), Duration.seconds(54), "opened"), (.seconds(5), .seconds(55), "refused"),
        (.seconds(-5), .seconds(64), "opened"), (.seconds(-5), .seconds(65), "refused"),
        (.seconds(0), .seconds(59), "opened"), (.seconds(0), .seconds(60), "refused"),
    ])
    func `the clock of the node that redeems decides when a token has expired`(
        skew: Duration, after elapsed: Duration, expected: String
    ) async throws {
        try await withNodes(skew) { first, other in
            let token = try await first.issue().token
            Self.pass(elapsed, first, other)
            #expect(try await other.open(token).word == expected)
        }
    }

    @Test(arguments: skews) func `a used token is used for every clock`(_ skew: Duration) async throws {
        try await withNodes(skew) { first, other in
            let token = try await first.issue().token
            let opened = try #require(try await first.open(token).opened)
            Self.pass(.seconds(10), first, other)
            #expect(try await other.open(token, from: origin("198.51.100.7")).word == "refused")
            // The replay ended the session; the first node learns it with its next look.
            try await first.sessions.refresh()
            #expect(try await first.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test(arguments: skews) func `a session that one node ended is over on the other`(_ skew: Duration) async throws {
        try await withNodes(skew) { first, other in
            let opened = try #require(try await first.open(try await first.issue().token).opened)
            #expect(try await other.sessions.lookUp(opened.secret) != nil)
            for _ in 0..<4 {
                Self.pass(.milliseconds(500), first, other)
                try await other.sessions.refresh()
            }
            try await first.endings.end(
                .webSession(opened.session.id), .signOut(origin: origin(), at: first.clock.now))
            try await other.sessions.refresh()
            #expect(try await other.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test(arguments: skews) func `a use on one node never takes time from a session`(_ skew: Duration) async throws {
        try await withNodes(skew) { first, other in
            let opened = try #require(try await first.open(try await first.issue().token).opened)
            let idle = opened.session.idleLifetime
            Self.pass(idle - .seconds(60), first, other)
            #expect(try await first.sessions.lookUp(opened.secret) != nil)
            #expect(try await other.sessions.lookUp(opened.secret) != nil)
            Self.pass(idle - .seconds(60), first, other)
            #expect(try await first.sessions.lookUp(opened.secret) != nil)
        }
    }
}
