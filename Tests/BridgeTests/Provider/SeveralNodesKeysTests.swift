import OAuth2
import Testing
import TestSupport

@testable import Bridge

/// Rotations and retirements on several nodes while each of them signs and verifies.
@Suite struct SeveralNodesKeysTests {
    private struct Made {
        let login: Secret<String>
        let loginKey: String
        let access: Secret<String>
        let accessKey: String
        let at: Timestamp
    }

    @Test(arguments: UInt64(1)...4)
    func `no living token is refused but those of retired keys, and those on every node after a second`(seed: UInt64)
        async throws
    {
        try await withKeys(nodes: 0) { nodes async throws in
            var random = SplitMix64(seed: seed)
            var all: [SigningKeys] = []
            for number in 0..<3 { all.append(try await started("node-\(number)", nodes)) }
            var polledAt = Array(repeating: nodes.clock.now, count: 3)
            var made: [Made] = []
            var retiredAt: [String: Timestamp] = [:]
            var (rotations, retirements, restarts) = (0, 0, 0)
            while rotations < 100 || retirements < 20 {
                nodes.clock.advance(.milliseconds(Int(random.next() % 250)))
                let now = nodes.clock.now
                for number in all.indices where now - polledAt[number] >= .milliseconds(500) {
                    try await all[number].refresh()
                    polledAt[number] = now
                }
                let actor = all[Int(random.next() % 3)]
                switch random.next() % 12 {
                case 0...2 where rotations < 100:
                    try await actor.rotate()
                    rotations += 1
                case 3 where retirements < 20 && rotations > retirements * 5:
                    // Half of the time what signs at that moment: nobody has its successor yet.
                    let live = try await nodes.storage.signingKeys().keys.filter { $0.isLive(at: now) }
                    let signing = actor.signing ?? ""
                    let leaked = random.next() % 2 == 0 ? signing : live[Int(random.next() % UInt64(live.count))].id
                    #expect(try await actor.retire([leaked], action: action(now)) != nil)
                    retiredAt[leaked] = now
                    retirements += 1
                case 4 where random.next() % 8 == 0:
                    let number = Int(random.next() % 3)
                    all[number] = try await started("node-\(number)", nodes)
                    polledAt[number] = now
                    restarts += 1
                default: break
                }
                for node in all { made.append(try make(on: node, id: "\(made.count)", at: nodes.clock.now)) }
                made.removeAll { $0.at + .seconds(50) < now }
                for number in 0..<6 {
                    // Every other of those just made: nobody else may have their key yet.
                    let choice = number % 2 == 0 ? made[...] : made.suffix(3)
                    let token = choice[choice.startIndex + Int(random.next() % UInt64(choice.count))]
                    try await check(token, on: all[Int(random.next() % 3)], retiredAt: retiredAt)
                }
            }
            #expect(rotations == 100 && retirements == 20 && restarts > 0)
        }
    }

    private func started(_ name: String, _ nodes: KeyNodes) async throws -> SigningKeys {
        // Without RSA, whose keys take long to make.
        let keys = nodes.make(name, algorithms: [.hs256, .es256])
        try await keys.load()
        return keys
    }

    private func login(_ node: SigningKeys) -> LoginTokenCodec {
        LoginTokenCodec(issuer: issuerName, keys: node.loginTokens, inquiry: node)
    }

    private func access(_ node: SigningKeys) -> AccessTokenCodec {
        AccessTokenCodec(issuer: issuerName, keys: node.ring)
    }

    private func make(on node: SigningKeys, id: String, at now: Timestamp) throws -> Made {
        let claims = LoginTokenClaims(
            issuer: issuerName, audience: website, subject: "alice", issuedAt: now, expiresAt: now + .seconds(60),
            id: TokenID(rawValue: id), clientID: app, sessionID: nil, authentication: Authentication(), target: nil,
            binding: .none)
        let token = try #require(login(node).sign(claims, at: now))
        let bearer = AccessTokenClaims(
            subject: "alice", audience: [issuerName], clientID: app, scope: .empty, id: TokenID(rawValue: id),
            sessionID: nil, authentication: Authentication(), proofKeyThumbprint: nil, issuedAt: now,
            expiresAt: now + .seconds(60))
        let signed = try access(node).sign(bearer, algorithm: .es256, at: now)
        return Made(
            login: token.token, loginKey: token.keyID, access: signed,
            accessKey: try #require(CompactJWS(signed.expose())?.keyID), at: now)
    }

    private func check(_ token: Made, on node: SigningKeys, retiredAt: [String: Timestamp]) async throws {
        // As the front of a server does with each request.
        await node.beCurrent()
        let now = node.now
        let verdict = try await login(node).verify(token.login, at: now)
        switch retiredAt[token.loginKey] {
        case nil:
            guard case .verified = verdict else {
                Issue.record("a living token of \(token.loginKey) was refused: \(verdict)")
                return
            }
        case .some(let instant) where now - instant >= .seconds(1):
            #expect(verdict == .refused(.unknownKey))
        default: break
        }
        if let keyID = access(node).unknownKey(of: token.access) { try await node.learn(keyID) }
        switch retiredAt[token.accessKey] {
        case nil: #expect(throws: Never.self) { try access(node).verify(token.access, at: now) }
        case .some(let instant) where now - instant >= .seconds(1):
            #expect(throws: BearerRefusal.unknownKey) { try access(node).verify(token.access, at: now) }
        default: break
        }
    }
}
