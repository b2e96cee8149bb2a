import OAuth2
import Testing

@testable import Bridge

/// What refused, repeated and anonymous requests may write (contract §12).
@Suite struct RefusalLogTests {
    private func withLog(
        perSecond: Int = 1000, _ body: (RefusalLog, Service) async throws -> Void
    ) async throws {
        try await withService { service in
            try await body(
                RefusalLog(
                    audit: service.storage, limiter: InProcessRateLimiter(clock: .parameter),
                    ceiling: RefusalCeiling(perSecond: perSecond, clock: .parameter)), service)
        }
    }

    private func refusal(
        _ type: AuditEventType = .bearerRefused, of subject: Subject? = nil, at now: Timestamp = noon
    ) -> AuditEvent {
        AuditEvent(at: now, type: type, outcome: .failure, reason: "r", subject: subject, origin: origin())
    }

    private func count(_ type: AuditEventType, in service: Service) async throws -> Int {
        try await service.storage.search(AuditFilter(type: type), before: nil, limit: 500).records.count
    }

    @Test func `of what comes again and again three are written, the rest is one number`() async throws {
        try await withLog { log, service in
            for _ in 0..<90 {
                try await log.record(refusal(.loginTokenRefused, of: "alice"), within: .repeats(of: "token"))
            }
            #expect(try await count(.loginTokenRefused, in: service) == 3)
            #expect(try await log.writeSuppressed(at: noon + .seconds(10)) == [.loginTokenRefused: 87])
            let told = try await service.storage.search(AuditFilter(type: .auditSuppressed), before: nil, limit: 2)
            #expect(told.records.map(\.event.reason) == ["too_many"])
            let counts = #"{"login_token.refused":87}"#
            #expect(
                told.records.first?.event.detail
                    == #"{"events":87,"since":"\#(noon.rfc3339)","types":\#(counts),"failures":\#(counts)}"#)
        }
    }

    @Test func `what was told is not told again, and nothing is told of nothing`() async throws {
        try await withLog { log, service in
            for _ in 0..<4 { try await log.record(refusal(), within: .repeats(of: "t")) }
            for _ in 0..<3 { try await log.writeSuppressed(at: noon) }
            #expect(try await count(.auditSuppressed, in: service) == 1)
        }
    }

    @Test func `a node writes no more than its ceiling, however many networks and names there are`() async throws {
        try await withLog(perSecond: 10) { log, service in
            for second in 0..<20 {
                for number in 0..<50 {
                    try await log.record(
                        refusal(of: Subject(rawValue: "u\(number)"), at: noon + .seconds(second)),
                        within: .network("n", of: origin("198.\(second).\(number).1"), perMinute: 10))
                }
            }
            // Ten seconds' worth at once, and ten more in each second after the first.
            #expect(try await count(.bearerRefused, in: service) == 100 + 19 * 10)
            #expect(try await log.writeSuppressed(at: noon) == [.bearerRefused: 1000 - 290])
        }
    }

    @Test func `refreshes that get no cookies have the ceiling too, and what is left out is counted`() async throws {
        try await withLog(perSecond: 2) { log, service in
            for network in 0..<20 {
                for _ in 0..<11 {
                    try await log.sessionRefreshRefused(.crossSite, origin: origin("198.51.\(network).1"), at: noon)
                }
            }
            // Half of ten seconds' worth, for they are about nobody known.
            #expect(try await count(.refreshTokenRefused, in: service) == 10)
            #expect(try await log.writeSuppressed(at: noon) == [.refreshTokenRefused: 20 * 11 - 10])
        }
    }

    @Test func `rubbish cannot push out what is about a user`() async throws {
        try await withLog(perSecond: 10) { log, service in
            for _ in 0..<500 { try await log.record(refusal()) }
            #expect(try await count(.bearerRefused, in: service) == 50)
            for _ in 0..<50 { try await log.record(refusal(.loginTokenReplayed, of: "alice")) }
            #expect(try await count(.loginTokenReplayed, in: service) == 50)
        }
    }

    @Test func `whoever floods the counters hides nothing: the ceiling decides then`() async throws {
        try await withService { service in
            let log = RefusalLog(
                audit: service.storage, limiter: InProcessRateLimiter(capacity: 2, clock: .parameter),
                ceiling: RefusalCeiling(perSecond: 10, clock: .parameter))
            for number in 0..<40 {
                try await log.record(refusal(), within: .network("n", of: origin("198.51.\(number).1"), perMinute: 1))
            }
            try await log.record(refusal(.loginTokenReplayed, of: "alice"), within: .repeats(of: "token"))
            #expect(try await count(.loginTokenReplayed, in: service) == 1)
            #expect(try await count(.bearerRefused, in: service) == 40)
        }
    }

    @Test func `a number that could not be written is told later, with what came meanwhile`() {
        let suppressed = SuppressedEvents()
        suppressed.count(refusal())
        let counts = suppressed.take()
        suppressed.count(refusal(at: noon + .seconds(5)))
        suppressed.putBack(counts)
        let both = suppressed.take()
        #expect(both.all == [.bearerRefused: 2] && both.failures == both.all && both.since == noon)
        let none = suppressed.take()
        #expect(none.all.isEmpty && none.since == nil)
    }
}

extension RefusalCeiling {
    /// One that has no room left at noon for what anybody can cause.
    static func fullForAnybody() -> RefusalCeiling {
        let ceiling = RefusalCeiling(perSecond: 10, clock: .parameter)
        let rubbish = AuditEvent(at: noon, type: .bearerRefused, outcome: .failure, origin: origin())
        while ceiling.admits(rubbish) {}
        return ceiling
    }
}
