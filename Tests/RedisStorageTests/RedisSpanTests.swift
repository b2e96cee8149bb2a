import Bridge
import Synchronization
import Testing
import Tracing

@testable import RedisStorage

/// What a traced request says of Redis.
@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisSpanTests {
    private let now = Timestamp(milliseconds: 1_763_708_400_123)

    /// The spans that end in `body`, which runs as a request that is recorded.
    private static func spans(_ body: (RedisClient) async throws -> Void) async throws -> [FinishedSpan] {
        let finished = SpanBox()
        let recorder = SpanRecorder(share: 1) { span in finished.spans.withLock { $0.append(span) } }
        let request = try #require(recorder.request(continuing: nil, method: "GET"))
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                try await InstrumentationContext.$current.withValue(request.context) { try await body(client) }
            }
        }
        let spans = finished.spans.withLock { $0 }
        #expect(spans.allSatisfy { $0.parentID == request.trace.spanID }, "each is a step of the request")
        return spans
    }

    @Test func `a claim and a look at limits are a step each, which names the system and no key`() async throws {
        let spans = try await Self.spans { client in
            _ = try await RedisReplayGuard(client: client).claim("token-id", until: now + .seconds(40), at: now)
            let bucket = TokenBucket(burst: 2, refillInterval: .seconds(60))
            _ = try await RedisRateLimiter(client: client)
                .take([RateLimitKey(scope: "test", value: "alice", bucket: bucket)], at: now)
        }
        #expect(spans.map(\.name) == [TraceStep.replayGuard.rawValue, TraceStep.rateLimits.rawValue])
        #expect(spans.allSatisfy { $0.attributes == [SpanFact.database.rawValue: "redis"] })
        #expect(spans.allSatisfy { $0.kind == .client && !$0.hasFailed })
    }

    @Test func `a step that Redis did not answer has failed`() async throws {
        let spans = try await Self.spans { client in
            await client.close()
            await #expect(throws: StorageError.self) {
                try await RedisReplayGuard(client: client).claim("token-id", until: now + .seconds(40), at: now)
            }
        }
        #expect(spans.map(\.name) == [TraceStep.replayGuard.rawValue])
        #expect(spans.map(\.hasFailed) == [true])
    }
}

private final class SpanBox: Sendable {
    let spans = Mutex<[FinishedSpan]>([])
}
