import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// One device with its app session, and the secrets that it has had.
private struct DeviceReplay: ModelReplay {
    private static let overlap = Duration.seconds(30)
    private static let sessionID: SessionID = "sid-a"

    private let native: NativeProvider
    private let client: Client
    private let session: AppSession
    private var secrets: [OpaqueSecret] = []
    private var opened = 0

    init(_ native: NativeProvider) async throws {
        self.native = native
        client = try #require(native.service.clients.current[NativeProvider.photos])
        let now = native.clock.now
        let browser = WebSession(
            id: "browser", secretDigest: "browser",
            lineage: .signIn(of: "alice", authentication: Authentication(), at: now, lifetime: .seconds(86_400)),
            clientID: website, createdAt: now, idleLifetime: .seconds(86_400), lastSeenAt: now)
        _ = try await native.storage.open(browser, replacing: nil, events: [])
        session = AppSession(
            id: Self.sessionID,
            lineage: browser.granted(
                Scope(tokens: NativeProvider.scope), at: now, lifetime: .seconds(90 * 86_400)),
            clientID: client.id, browserSessionID: browser.id, createdAt: now)
        _ = try await native.storage.open(session, refreshToken: nil, events: [])
        let first = try #require(try await native.devices.provideAtSignIn(request(presenting: nil)))
        secrets = [first]
    }

    private func request(presenting secret: OpaqueSecret?) -> DeviceSecretRequest {
        DeviceSecretRequest(
            session: session, client: client, presented: secret.map { Secret($0.expose()) }, proofKeyThumbprint: nil,
            origin: origin(), at: native.clock.now)
    }

    private var replayed: Ending { Ending(at: native.clock.now, reason: .replayed, origin: origin()) }

    mutating func take(_ step: ModelStep) async throws -> [Int]? {
        switch step.word {
        case "use":
            opened += 1
            let now = native.clock.now
            let child = AppSession(
                id: SessionID(rawValue: "opened-\(opened)"),
                lineage: session.exchanged(for: Scope(tokens: [Scope.openID]), at: now, lifetime: .seconds(3600)),
                clientID: NativeProvider.music, createdAt: now)
            let outcome = try await native.storage.useDeviceSecret(
                digest: secrets[step[0] - 1].digest,
                for: DeviceSecretUse(
                    at: now, sessionID: session.id, opening: .appSession(child, refreshToken: nil), events: []),
                overlap: Self.overlap, replayed: replayed)
            return [word(outcome), try await isOver() ? 1 : 0]
        case "rotate":
            let successor = OpaqueSecret.make(.deviceSecret, random: .system)
            let outcome = try await native.storage.rotateDeviceSecret(
                digest: secrets[step[0] - 1].digest, to: successor.digest, at: native.clock.now,
                overlap: Self.overlap,
                event: AuditEvent(at: native.clock.now, type: .deviceSecretRotated, outcome: .success),
                replayed: replayed)
            guard case .accepted = outcome else { return [word(outcome), 0] }
            secrets.append(successor)
            return [1, secrets.count]
        case "signin":
            let told = try #require(
                try await native.devices.provideAtSignIn(request(presenting: secrets[step[0] - 1])))
            if let known = secrets.firstIndex(where: { $0.digest == told.digest }) { return [1, known + 1] }
            secrets.append(told)
            return [1, secrets.count]
        case "late": native.clock.advance(Self.overlap + .seconds(1))
        case "revoke":
            let device = try #require(try await native.storage.deviceSecret(digest: secrets[0].digest)?.device.id)
            _ = try await native.devices.revoke(
                device, reason: .signedOut, origin: origin(), at: native.clock.now)
        case "end":
            _ = try await native.service.endings.end(
                .appSession(session.id), Ending(at: native.clock.now, reason: .signedOut, origin: origin()))
        default: Issue.record("unknown step \(step.word)")
        }
        return nil
    }

    private func word(_ outcome: DeviceSecretUseOutcome) -> Int {
        switch outcome {
        case .accepted: 1
        case .refused(.revoked): 2
        case .replayed: 3
        case .refused(.sessionEnded): 4
        case .refused: -1
        }
    }

    private func isOver() async throws -> Bool {
        try await native.storage.deviceSecret(digest: secrets[0].digest)?.device.revokedAt != nil
    }
}

/// Contract §5 and §7: the service does what `model/device.pml` does.
@Suite struct DeviceReplayTests {
    private func divergence(from trace: String) async throws -> String? {
        var found: String?
        try await withNativeProvider([.rotateDeviceSecrets: .flag(true)]) { native in
            var replay = try await DeviceReplay(native)
            found = try await replay.divergence(from: trace)
        }
        return found
    }

    @Test func `each course of the model is the service's`() async throws {
        let traces = try ModelTraces.load().device
        #expect(traces.count >= 100)
        for trace in traces {
            let found = try await divergence(from: trace)
            #expect(found == nil, "\(found ?? "")")
        }
    }

    @Test func `a course with another outcome is noticed`() async throws {
        let trace = try #require(try ModelTraces.load().device.first { $0.contains("use ") })
        #expect(try await divergence(from: planted(trace, at: "use")) != nil)
    }
}
