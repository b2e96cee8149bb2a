import OAuth2
import Testing
import Tracing

@testable import Bridge

/// The trace of an app's request, through the browser, to what the link does.
@Suite struct JourneyTraceTests {
    private let collection = SpanCollection()

    private static func payload(of token: Secret<String>) throws -> String {
        let parts = token.expose().split(separator: ".")
        return String(decoding: try #require(Base64URL.decode(String(parts[1]))), as: UTF8.self)
    }

    private func issue(_ service: Service, recorded: Bool) async throws -> (LoginTokenAnswer, RecordedSpan?) {
        let request = collection.recorder(share: recorded ? 1 : 0).request(continuing: nil, method: "POST")
        let answer = try await InstrumentationContext.$current.withValue(request?.context) { try await service.issue() }
        request?.end()
        return (answer, request)
    }

    @Test func `a link is redeemed in the trace of its issue, by a request that is not recorded`() async throws {
        try await withService(recorder: collection.recorder(share: 0)) { service in
            let (answer, request) = try await issue(service, recorded: true)
            #expect(try await service.open(answer.token).opened != nil)
            let redeem = try #require(collection["redeem login token"])
            #expect(redeem.parentID == request?.trace.spanID)
            #expect(redeem.attributes == ["drawbridge.outcome": "opened"])
            #expect(Set(collection.all.map(\.trace.traceID)).count == 1)
            // The issue's and the redemption's.
            let commits = collection.all.filter { $0.name == "store commit" }
            #expect(commits.count >= 2 && commits.contains { $0.parentID == redeem.trace.spanID })
        }
    }

    /// What the span says of a redemption by a way that is no browser's visit, and of a second use by the same way.
    private func outcomes(
        _ redeem: (Service, Client, Secret<String>) async throws -> Void
    ) async throws -> [SpanAttributes] {
        let collection = SpanCollection()
        try await withService(recorder: collection.recorder(share: 0)) { service in
            let site = try #require(service.clients.current[website])
            let (answer, request) = try await issue(service, recorded: true)
            service.clock.advance(.seconds(10))
            try await redeem(service, site, answer.token)
            service.clock.advance(.seconds(10))
            try await redeem(service, site, answer.token)
            let spans = collection.all.filter { $0.name == "redeem login token" }
            #expect(spans.allSatisfy { $0.trace.traceID == request?.trace.traceID })
        }
        return collection.all.filter { $0.name == "redeem login token" }.map(\.attributes)
    }

    @Test func `a redemption by the website's server is in the trace of the issue`() async throws {
        let outcomes = try await outcomes { service, site, token in
            _ = try? await service.redeemer.redeem(
                BackChannelRedemption(token: token, website: site, codeVerifier: nil, origin: origin()))
        }
        #expect(outcomes == [["drawbridge.outcome": "opened"], ["drawbridge.outcome": "refused"]])
    }

    @Test func `a redemption in an authorization request is in the trace of the issue`() async throws {
        let outcomes = try await outcomes { service, site, token in
            _ = try await service.redeemer.redeem(
                TokenAuthorization(
                    token: token, website: site, current: nil, tokenSessions: [], confirmsSwitch: false, retry: nil,
                    origin: origin())
            ) { _ in nil }
        }
        #expect(outcomes == [["drawbridge.outcome": "opened"], ["drawbridge.outcome": "refused"]])
    }

    @Test func `a token says nothing of a trace that is not recorded`() async throws {
        try await withService(recorder: collection.recorder(share: 1)) { service in
            let (answer, _) = try await issue(service, recorded: false)
            #expect(!(try Self.payload(of: answer.token).contains("trace")))
            #expect(try await service.open(answer.token).opened != nil)
            #expect(collection.all.isEmpty)
        }
    }

    @Test func `what a token says of its trace are two random numbers, the same for no two users`() async throws {
        try await withService { service in
            var seen: Set<String> = []
            for _ in 0..<2 {
                let (answer, request) = try await issue(service, recorded: true)
                let trace = try #require(request?.trace)
                let claim = #""trace":"\#(trace.traceID)-\#(trace.spanID)""#
                #expect(try Self.payload(of: answer.token).contains(claim))
                seen.insert(claim)
            }
            #expect(seen.count == 2)
        }
    }

    @Test func `a node that records nothing redeems a traced token as any other`() async throws {
        try await withService(recorder: nil) { service in
            let (answer, _) = try await issue(service, recorded: true)
            #expect(try await service.open(answer.token).opened != nil)
            #expect(collection["redeem login token"] == nil)
        }
    }

    @Test func `an expired link and a second use leave their outcome, or nothing, in the trace`() async throws {
        try await withService(recorder: collection.recorder(share: 0)) { service in
            let (answer, _) = try await issue(service, recorded: true)
            _ = try await service.open(answer.token)
            service.clock.advance(.seconds(10))
            _ = try await service.open(answer.token, from: origin("198.51.100.9"))
            #expect(
                collection.all.filter { $0.name == "redeem login token" }.map { $0.attributes } == [
                    ["drawbridge.outcome": "opened"], ["drawbridge.outcome": "refused"],
                ])
            service.clock.advance(.seconds(60))
            let before = collection.all.count
            _ = try await service.open(answer.token)
            #expect(collection.all.count == before)
        }
    }
}
