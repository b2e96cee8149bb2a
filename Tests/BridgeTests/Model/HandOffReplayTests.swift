import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

/// A guard that two nodes share and that can be emptied.
private final class EmptiedReplayGuard: ReplayGuard {
    private let inner = Mutex(InProcessReplayGuard())

    func empty() { inner.withLock { $0 = InProcessReplayGuard() } }

    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) -> ReplayClaim {
        inner.withLock { $0.claim(id, until: expiry, at: now) }
    }
}

/// Two nodes over one database, two tokens of one app's session, two browsers.
private struct HandOffReplay: ModelReplay {
    private static let late = Duration.seconds(4)
    private static let places = [origin(), origin("198.51.100.9", userAgent: "Firefox")]
    private static let issuedFrom: SessionID = "issuing"

    private let storage: any BridgeStorage
    private let faults: RedemptionFaults
    private let replayGuard = EmptiedReplayGuard()
    private var nodes: [Service] = []
    private var tokens: [LoginTokenAnswer] = []
    private var cookies: [OpaqueSecret?] = [nil, nil]
    private var retries: [[String?]] = [[nil, nil], [nil, nil]]
    private var elapsed = Duration.zero
    private(set) var isOver = false

    init(_ service: Service, faults: RedemptionFaults) async throws {
        storage = service.storage
        self.faults = faults
        let lineage = Lineage.signIn(
            of: "alice", authentication: Authentication(), at: noon, lifetime: .seconds(86_400))
        _ = try await storage.open(
            AppSession(id: Self.issuedFrom, lineage: lineage, clientID: app, createdAt: noon), refreshToken: nil,
            events: [])
        nodes = [try node(), try node()]
        for _ in 0..<2 {
            tokens.append(
                try await nodes[0].issuer.issue(
                    LoginTokenIssueRequest(), bearer: nodes[0].bearer(sid: Self.issuedFrom), origin: origin()))
        }
    }

    private func node() throws -> Service {
        let node = try Service(
            storage: storage, replayGuard: replayGuard,
            loginTokens: FailingLoginTokens(storage: storage, faults: faults))
        node.clock.advance(elapsed)
        return node
    }

    mutating func take(_ step: ModelStep) async throws -> [Int]? {
        switch step.word {
        case "open": return try await open(at: step[0], browser: step[1], token: step[2], fault: step[3])
        case "late":
            elapsed += Self.late
            for node in nodes { node.clock.advance(Self.late) }
        case "restart": nodes[step[0]] = try node()
        case "forget": replayGuard.empty()
        case "revoke":
            let issued = try #require(try await storage.state(of: tokens[step[0]].id)?.token)
            let now = nodes[0].clock.now
            let outcome = try await storage.revoke(
                issued, at: now, event: AuditEvent(at: now, type: .loginTokenRevoked, outcome: .success))
            return [outcome == .revoked ? 1 : 0]
        case "end":
            let ending = Ending(at: nodes[0].clock.now, reason: .signedOut, origin: origin())
            _ = try await storage.end(.appSession(Self.issuedFrom), ending)
        case "look":
            try await nodes[step[0]].sessions.refresh()
            guard let secret = cookies[step[1]] else { return [0] }
            return [try await nodes[step[0]].sessions.lookUp(secret) == nil ? 2 : 1]
        default: Issue.record("unknown step \(step.word)")
        }
        return nil
    }

    /// - Returns: the answer, and the state of both tokens' sessions.
    private mutating func open(at node: Int, browser: Int, token: Int, fault: Int) async throws -> [Int]? {
        // A second use is told and ended in one step of the model, in two of the service (model/README.md).
        if fault != 0, try await state(of: tokens[token].id) != 0 {
            isOver = true
            return nil
        }
        switch fault {
        case 1: faults.expect(.answerLost)
        case 2: faults.expect(.answerLost, .away)
        case 3: faults.expect(.commitLost)
        case 4: faults.expect(.commitLost, .away)
        default: faults.expect()
        }
        var answer: Int
        do {
            let outcome = try await nodes[node].open(
                tokens[token].token, session: cookies[browser], retry: retries[browser][token],
                from: Self.places[browser])
            switch outcome {
            case .landed(_, .some(let opened)):
                answer = 1
                cookies[browser] = opened.secret
                retries[browser][token] = nil
            case .landed(_, nil):
                answer = 2
                // A request keeps what it read of the browser's own session, for as long as a node may believe it
                // (contract §16.11); the model keeps what it gives and what a page asks for.
                if let cookie = cookies[browser], try await storage.session(secretDigest: cookie.digest)?.endedAt != nil
                {
                    isOver = true
                }
            case .refused: answer = 3
            default: answer = -1
            }
        } catch let undecided as UndecidedRedemption {
            answer = 5
            retries[browser][token] = undecided.retry.expose()
        }
        // The model has asked the store as often as the service.
        if faults.next() != nil { answer = -2 }
        return [answer, try await state(of: tokens[0].id), try await state(of: tokens[1].id)]
    }

    private func state(of token: TokenID) async throws -> Int {
        guard case .redeemed(let use) = try await storage.state(of: token)?.status else { return 0 }
        return try await storage.session(id: use.sessionID)?.endedAt == nil ? 1 : 2
    }
}

/// Contract §4: the service does what `model/handoff.pml` does.
@Suite struct HandOffReplayTests {
    private func divergence(from trace: String) async throws -> String? {
        let faults = RedemptionFaults()
        var found: String?
        try await withService(faults: faults) { service async throws in
            var replay = try await HandOffReplay(service, faults: faults)
            found = try await replay.divergence(from: trace)
        }
        return found
    }

    @Test func `each course of the model is the service's`() async throws {
        let traces = try ModelTraces.load().handoff
        #expect(traces.count >= 100)
        for trace in traces {
            let found = try await divergence(from: trace)
            #expect(found == nil, "\(found ?? "")")
        }
    }

    @Test func `a course with another outcome is noticed`() async throws {
        var noticed = 0
        for trace in try ModelTraces.load().handoff.prefix(20) where trace.contains("open ") {
            if try await divergence(from: planted(trace, at: "open")) != nil { noticed += 1 }
        }
        // Some end before the step that was changed.
        #expect(noticed >= 10)
    }
}
