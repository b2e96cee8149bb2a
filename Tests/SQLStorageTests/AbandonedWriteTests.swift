import Bridge
import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import SQLStorage

/// Writes that use up what has one use, for a caller who has gone (ADR-0087).
@Suite struct AbandonedWriteTests {
    @Test func `what has one use is not tried for a caller who went while it waited, and all else is written`()
        async throws
    {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let caller = WaitingCaller()
            let attempts = Mutex(0)
            let results: [Result<Void, any Error>] = try await storage.inOneBatch([
                {
                    try await WaitingCaller.$current.withValue(caller) {
                        try await storage.write(isOfOneUse: true) { transaction in
                            attempts.withLock { $0 += 1 }
                            try transaction.record(.sample(reason: "use"))
                        }
                    }
                },
                {
                    try await WaitingCaller.$current.withValue(caller) {
                        try await storage.append([.sample(reason: "sign-out")])
                    }
                },
                {
                    caller.leave()
                    try await storage.append([.sample(reason: "neighbour")])
                },
            ])
            #expect(throws: CallerGone.self) { try results[0].get() }
            try results[1].get()
            try results[2].get()
            #expect(attempts.withLock { $0 } == 0)
            #expect(try await storage.reasons(of: "node-0") == ["sign-out", "neighbour"])
        }
    }

    @Test func `nor does it last for one who went while its batch was at work`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let caller = WaitingCaller()
            let results: [Result<Void, any Error>] = try await storage.inOneBatch([
                {
                    try await WaitingCaller.$current.withValue(caller) {
                        try await storage.write(isOfOneUse: true) { try $0.record(.sample(reason: "use")) }
                    }
                },
                {
                    try await storage.write { transaction in
                        caller.leave()
                        try transaction.record(.sample(reason: "neighbour"))
                    }
                },
            ])
            #expect(throws: CallerGone.self) { try results[0].get() }
            try results[1].get()
            #expect(try await storage.reasons(of: "node-0") == ["neighbour"])
        }
    }

    @Test func `attack: who goes one after the other has a batch begin again once`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let callers = (0..<3).map { _ in WaitingCaller() }
            let runs = Mutex(0)
            let uses = callers.map { caller in
                { @Sendable () async throws -> Void in
                    try await WaitingCaller.$current.withValue(caller) {
                        try await storage.write(isOfOneUse: true) { try $0.record(.sample()) }
                    }
                }
            }
            let neighbour = { @Sendable () async throws -> Void in
                try await storage.write { transaction in
                    let run = runs.withLock { runs in
                        defer { runs += 1 }
                        return runs
                    }
                    callers[run].leave()
                    try transaction.record(.sample(reason: "neighbour"))
                }
            }
            let results: [Result<Void, any Error>] = try await storage.inOneBatch(uses + [neighbour])
            #expect(throws: CallerGone.self) { try results[0].get() }
            for result in results.dropFirst() { try result.get() }
            #expect(runs.withLock { $0 } == 2)
        }
    }

    /// Uses of things whose second use ends what the first one opened, and what is written of a second one.
    enum Verb: CaseIterable, Sendable {
        case link, repeatedLink, code, repeatedCode, refreshToken, repeatedRefreshToken, refreshCookie, deviceSecret,
            successorOfDeviceSecret

        func run(_ storage: DurableStorage) async throws {
            let now = Visit.now
            let visit = Visit(name: "a")
            switch self {
            case .link: _ = try await storage.redeem(visit)
            case .repeatedLink:
                _ = try await storage.recordReplay(
                    of: visit.token.id, replay: .sample(), ending: .sample(), alwaysTells: true)
            case .code:
                _ = try await storage.redeemCode(
                    digest: "a", opening: Self.app, refreshToken: nil, at: now, events: [.sample()])
            case .repeatedCode:
                _ = try await storage.recordCodeReuse(
                    digest: "a", reuse: .sample(), ending: .sample(), alwaysTells: true)
            case .refreshToken:
                let successor = RefreshTokenRecord(
                    digest: "b", sessionID: Self.app.id, scope: Self.app.scope, issuedAt: now,
                    expiresAt: now + .seconds(60))
                _ = try await storage.rotate(digest: "a", to: successor, at: now, event: .sample())
            case .repeatedRefreshToken:
                _ = try await storage.end(.appSession(Self.app.id), .sample(), first: [.sample()])
            case .refreshCookie:
                _ = try await storage.refreshSession(digest: "a", to: "b", at: now, replayed: .sample())
            case .deviceSecret:
                let use = DeviceSecretUse(
                    at: now, sessionID: Self.app.id, opening: .webSession(visit.session, refreshDigest: nil),
                    events: [.sample()])
                _ = try await storage.useDeviceSecret(
                    digest: "a", for: use, overlap: .seconds(60), replayed: .sample())
            case .successorOfDeviceSecret:
                _ = try await storage.rotateDeviceSecret(
                    digest: "a", to: "b", at: now, overlap: .seconds(60), event: .sample(), replayed: .sample())
            }
        }

        private static let app = AppSession(
            id: "app-a", subject: "alice", clientID: "app", scope: Scope(tokens: ["openid"]), opening: .authorize,
            authentication: Authentication(), createdAt: Visit.now, expiresAt: Visit.now + .seconds(3600))
    }

    @Test(arguments: Verb.allCases)
    func `every verb that uses such a thing up, or tells of its second use, asks for its caller`(verb: Verb)
        async throws
    {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let caller = WaitingCaller()
            caller.leave()
            await #expect(throws: CallerGone.self) {
                try await WaitingCaller.$current.withValue(caller) { try await verb.run(storage) }
            }
            #expect(try await storage.records(of: "node-0", in: 1...10, limit: 10).isEmpty)
        }
    }

    @Test func `an end that no second use led to is made whoever has gone`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let caller = WaitingCaller()
            caller.leave()
            let ended = try await WaitingCaller.$current.withValue(caller) {
                try await storage.end(.webSession("unknown"), .sample(), first: [])
            }
            #expect(ended.isEmpty)
        }
    }
}
