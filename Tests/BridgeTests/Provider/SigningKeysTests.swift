import OAuth2
import SQLStorage
import Synchronization
import Testing

@testable import Bridge

@Suite struct SigningKeysTests {
    @Test func `a new key pair is published before it signs, the old one verifies until its tokens are dead`()
        async throws
    {
        try await withKeys { nodes async throws in
            let keys = nodes[0]
            let old = try #require(keys.ring.current.signing(.es256, at: keys.now))
            try await keys.rotate()
            let ring = keys.ring.current
            #expect(ring.publicKeySet(at: keys.now).object?["keys"]?.array?.count == 6)
            #expect(ring.signing(.es256, at: keys.now)?.id == old.id)
            let activation = keys.now + KeyAlgorithm.es256.publication
            #expect(ring.signing(.es256, at: activation)?.id != old.id)
            let end = activation + KeyAlgorithm.es256.longestUse
            #expect(ring.verifying(old.id, at: end - .milliseconds(1)) != nil)
            #expect(ring.verifying(old.id, at: end) == nil)
            #expect(ring.known(old.id) != nil)
        }
    }

    @Test func `nodes that start at the same time have the same keys`() async throws {
        try await withKeys(nodes: 0) { nodes async throws in
            let started = try await withThrowingTaskGroup(of: SigningKeys.self) { group in
                for number in 0..<4 {
                    let keys = nodes.make("node-\(number)")
                    group.addTask {
                        try await keys.load()
                        return keys
                    }
                }
                return try await group.reduce(into: [SigningKeys]()) { $0.append($1) }
            }
            let sets = Set(started.map { $0.ring.current.publicKeySet(at: nodes.clock.now).text })
            #expect(sets.count == 1)
            #expect(Set(started.map { $0.loginTokens.current.signingKeyID(at: nodes.clock.now) }).count == 1)
            #expect(try await nodes.storage.signingKeys().keys.count == 4)
        }
    }

    @Test func `another master key opens none, by name, and changes none`() async throws {
        try await withKeys { nodes async throws in
            let before = try await nodes.storage.signingKeys()
            let stranger = nodes.make("stranger", master: 4)
            await #expect(throws: MasterKeyError.self) { try await stranger.load() }
            #expect(stranger.loginTokens.current.signingKeyID(at: nodes.clock.now) == nil)
            #expect(try await nodes.storage.signingKeys() == before)
        }
    }

    @Test func `with a lost master key all keys are retired and made anew under the one that is there`() async throws {
        try await withKeys { nodes async throws in
            let stranger = nodes.make("stranger", master: 4)
            let done = try #require(try await stranger.retire(nil, action: action(nodes.clock.now)))
            #expect(done.retired.count == 4)
            try await stranger.load()
            #expect(stranger.loginTokens.current.signingKeyID(at: nodes.clock.now) == done.signing[.hs256])
            // The node that still runs with the old one believes nothing any more.
            try await nodes[0].refresh()
            #expect(nodes[0].loginTokens.current.signingKeyID(at: nodes.clock.now) == nil)
            #expect(nodes[0].ring.current.publicKeySet(at: nodes.clock.now).object?["keys"]?.array?.isEmpty == true)
        }
    }

    @Test func `a sealed key under another one's name or algorithm is not taken`() async throws {
        try await withKeys { nodes async throws in
            let stored = try await nodes.storage.signingKeys()
            let pair = try #require(stored.keys.first { $0.algorithm == .es256 })
            let other = try #require(stored.keys.first { $0.algorithm == .edDSA })
            let shared = try #require(stored.keys.first { $0.algorithm == .hs256 })
            func row(_ id: String, _ algorithm: KeyAlgorithm, _ sealedKey: String) -> SealedSigningKey {
                SealedSigningKey(
                    id: id, algorithm: algorithm, sealedKey: sealedKey, publicKey: .object([:]),
                    createdAt: noon, signsFrom: noon)
            }
            var opener = SealedKeyOpener(master: try #require(MasterKey([UInt8](repeating: 3, count: 32))))
            for forged in [
                row(other.id, .es256, pair.sealedKey), row(pair.id, .edDSA, pair.sealedKey),
                row(pair.id, .hs256, pair.sealedKey), row(shared.id, .es256, shared.sealedKey),
                row("another", .hs256, shared.sealedKey),
            ] {
                let error = #expect(throws: MasterKeyError.self) { try opener.open(forged) }
                #expect(error?.name == forged.id, "the name alone, as messages have it behind what it is")
            }
            #expect(throws: Never.self) { try opener.open(shared) }
        }
    }

    @Test func `a sealed secret that is shorter than its hash is not taken`() throws {
        let master = try #require(MasterKey([UInt8](repeating: 3, count: 32)))
        let short = SecretKey(
            id: "s", secret: Secret([UInt8](repeating: 1, count: 31)), signsFrom: noon, retiresAt: nil)
        let sealed = try SigningKeyMaker(master: master, random: .system).seal(short, at: noon)
        var opener = SealedKeyOpener(master: master)
        #expect(throws: MasterKeyError.self) { try opener.open(sealed) }
    }

    // MARK: When a new key signs

    @Test func `alone, a node signs with a new login token key at once`() async throws {
        try await withKeys { nodes async throws in
            let added = try await nodes[0].rotate()
            #expect(nodes[0].signing == added.first { $0.algorithm == .hs256 }?.id)
        }
    }

    @Test func `a new login token key signs when every node that lives has it`() async throws {
        try await withKeys(nodes: 3) { nodes async throws in
            let old = nodes[0].signing
            let added = try await nodes[0].rotate().first { $0.algorithm == .hs256 }?.id
            try await nodes[1].refresh()
            try await nodes[0].refresh()
            #expect(nodes.all.map(\.signing) == [old, old, old])
            #expect(nodes[1].loginTokens.current.header(ofKey: try #require(added)) != nil)
            try await nodes[2].refresh()
            try await nodes[0].refresh()
            try await nodes[1].refresh()
            #expect(nodes.all.map(\.signing) == [added, added, added])
        }
    }

    @Test func `a new login token key signs after ten seconds, whoever has not taken it in`() async throws {
        try await withKeys(nodes: 2) { nodes async throws in
            let added = try await nodes[0].rotate().first { $0.algorithm == .hs256 }?.id
            nodes.clock.advance(.milliseconds(9_999))
            #expect(nodes[0].signing != added)
            nodes.clock.advance(.milliseconds(1))
            #expect(nodes[0].signing == added)
        }
    }

    @Test func `nobody waits for a node that stopped, or has not been heard of for half a minute`() async throws {
        try await withKeys(nodes: 3) { nodes async throws in
            try await nodes[1].leave()
            nodes.clock.advance(.seconds(31))
            try await nodes[0].refresh()
            let added = try await nodes[0].rotate().first { $0.algorithm == .hs256 }?.id
            #expect(nodes[0].signing == added)
        }
    }

    @Test func `a node that nothing happens to says that it lives, every ten seconds`() async throws {
        try await withKeys { nodes async throws in
            for _ in 0..<80 {
                nodes.clock.advance(.milliseconds(500))
                try await nodes[0].refresh()
            }
            let living = try await nodes.storage.signingKeyNumbers(notedSince: nodes.clock.now - .seconds(10))
            #expect(Array(living.keys) == ["node-0"])
        }
    }

    @Test func `a key that is told to wait for longer does, known everywhere or not`() async throws {
        try await withKeys { nodes async throws in
            let added = try await nodes[0].rotate(action: action(nodes.clock.now), signingAfter: .seconds(7200))
            let id = try #require(added.first { $0.algorithm == .hs256 }?.id)
            #expect(added.allSatisfy { $0.signsFrom == nodes.clock.now + .seconds(7200) })
            try await nodes[0].refresh()
            #expect(nodes[0].signing != id)
            nodes.clock.advance(.seconds(7200))
            #expect(nodes[0].signing == id)
        }
    }

    // MARK: Retiring

    @Test(arguments: KeyAlgorithm.allCases)
    func `the only key of an algorithm is retired: nothing it signed is believed, and a new one signs`(
        _ algorithm: KeyAlgorithm
    ) async throws {
        try await withKeys(nodes: 2) { nodes async throws in
            let now = nodes.clock.now
            let leaked = try #require(try await nodes.keys(algorithm).first?.id)
            let done = try #require(try await nodes[0].retire([leaked], action: action(now)))
            #expect(done.retired.map(\.id) == [leaked])
            try await nodes[1].refresh()
            for node in nodes.all {
                switch algorithm.published {
                case nil:
                    #expect(node.signing == done.signing[.hs256])
                    #expect(node.loginTokens.current.authenticationCode(for: [1], keyID: leaked, at: now) == nil)
                    #expect(node.loginTokens.current.derivedKey(leaked, purpose: .typedCode, at: now) == nil)
                case .some(let published):
                    #expect(node.ring.current.signing(published, at: now)?.id == done.signing[algorithm])
                    #expect(node.ring.current.verifying(leaked, at: now) == nil)
                    #expect(node.ring.current.known(leaked) == nil)
                    #expect(!node.ring.current.publicKeySet(at: now).text.contains(leaked))
                }
            }
        }
    }

    @Test(arguments: [-4, 4])
    func `a node whose clock is off signs with the key that took over, and with no older one`(_ seconds: Int)
        async throws
    {
        try await withKeys { nodes async throws in
            try await nodes[0].rotate()
            let other = nodes.make("other", clockBehind: .seconds(seconds))
            try await other.load()
            for node in [nodes[0], other, nodes[0]] {
                let leaked = try #require(nodes[0].signing)
                let done = try #require(try await node.retire([leaked], action: action(node.now)))
                try await nodes[0].refresh()
                try await other.refresh()
                #expect(nodes[0].signing == done.signing[.hs256])
                #expect(other.signing == done.signing[.hs256])
            }
        }
    }

    @Test func `a retirement is recorded with who, why and which key took over`() async throws {
        try await withKeys { nodes async throws in
            let leaked = try #require(nodes[0].signing)
            let done = try await nodes[0].retire([leaked], action: action(nodes.clock.now, reason: "laptop stolen"))
            let events = try await nodes.events()
            let retired = try #require(events.first { $0.type == .keyRetired })
            #expect(retired.reason == "laptop stolen")
            #expect(retired.detail?.contains(#""actor":"login:root""#) == true)
            #expect(retired.detail?.contains(#""kid":"\#(leaked)""#) == true)
            let successor = try #require(done?.signing[.hs256])
            #expect(retired.detail?.contains(#""signs_now":"\#(successor)""#) == true)
            #expect(events.contains { $0.type == .keyRotated && $0.detail?.contains(successor) == true })
        }
    }

    @Test func `an unknown key retires nothing, a second time changes nothing`() async throws {
        try await withKeys { nodes async throws in
            let leaked = try #require(nodes[0].signing)
            #expect(try await nodes[0].retire([leaked, "nobody"], action: action(nodes.clock.now)) == nil)
            #expect(nodes[0].signing == leaked)
            _ = try await nodes[0].retire([leaked], action: action(nodes.clock.now))
            let number = try await nodes.storage.signingKeysNumber()
            let again = try await nodes[0].retire([leaked], action: action(nodes.clock.now))
            #expect(again?.retired == [])
            #expect(try await nodes.storage.signingKeysNumber() == number)
        }
    }

    @Test func `an access token that was believed a moment ago is refused once its key is retired`() async throws {
        try await withKeys { nodes async throws in
            let time = nodes.clock.source
            let codec = AccessTokenCodec(issuer: issuerName, keys: nodes[0].ring)
            let tokens = AccessTokens(
                codec: codec, clients: Reloadable(ClientDirectory(try testClients(), defaultTarget: website)),
                sessions: AppSessions(store: nodes.storage, time: time), store: nodes.storage, inquiry: nodes[0],
                time: time)
            let claims = AccessTokenClaims(
                subject: "alice", audience: [issuerName], clientID: app, scope: .empty, id: "jti", sessionID: nil,
                authentication: Authentication(), proofKeyThumbprint: nil, issuedAt: noon,
                expiresAt: noon + .seconds(900))
            let token = try codec.sign(claims, algorithm: .es256, at: noon)
            #expect(try await tokens.active(token, at: noon) == claims)
            let leaked = try #require(nodes[0].ring.current.signing(.es256, at: noon)?.id)
            _ = try await nodes[0].retire([leaked], action: action(noon))
            await #expect(throws: BearerRefusal.unknownKey) { try await tokens.active(token, at: noon) }
            #expect(try await tokens.active(try codec.sign(claims, algorithm: .es256, at: noon), at: noon) == claims)
        }
    }

    // MARK: A backup that is older than a retirement

    @Test func `a restored backup does not bring a retired key back, on a node that runs or on one that starts`()
        async throws
    {
        try await withKeys { nodes async throws in
            let record = NotedKeys()
            let keys = nodes.make("careful", record: record)
            try await keys.load()
            let leaked = try #require(keys.signing)
            _ = try await keys.retire([leaked], action: action(nodes.clock.now))
            #expect(record.noted == [leaked])

            try await nodes.bringBack(leaked)
            try await keys.refresh()
            #expect(keys.loginTokens.current.authenticationCode(for: [1], keyID: leaked, at: nodes.clock.now) == nil)
            #expect(try await nodes.keys(.hs256).first { $0.id == leaked }?.withdrawnAt != nil)

            try await nodes.bringBack(leaked)
            let restarted = nodes.make("careful", record: record)
            try await restarted.load()
            #expect(restarted.signing != leaked)
            #expect(try await nodes.keys(.hs256).first { $0.id == leaked }?.withdrawnAt != nil)
            #expect(try await nodes.events().filter { $0.reason == "backup_restored" }.count == 2)
        }
    }

    @Test func `a retired key that could not be noted beside the database is noted once there is room`() async throws {
        try await withKeys { nodes async throws in
            let record = NotedKeys()
            let keys = nodes.make("careful", record: record)
            try await keys.load()
            let leaked = try #require(keys.signing)
            record.isFull = true
            _ = try await keys.retire([leaked], action: action(nodes.clock.now))
            #expect(record.noted.isEmpty)
            record.isFull = false
            // Nothing has changed in the database since.
            try await keys.refresh()
            #expect(record.noted == [leaked])
        }
    }

    @Test func `a node that cannot read which keys were retired does not start`() async throws {
        try await withKeys { nodes async throws in
            let keys = nodes.make("blind", record: UnreadableKeys())
            await #expect(throws: UnreadableKeys.Failure.self) { try await keys.load() }
        }
    }

    // MARK: The first version's file

    @Test func `keys of a file are taken over once, but those that ended or were retired`() async throws {
        try await withKeys(nodes: 0) { nodes async throws in
            func key(_ id: String, until end: Int64? = nil) -> SecretKey {
                SecretKey(
                    id: id, secret: Secret([UInt8](repeating: 9, count: 32)), signsFrom: noon - .seconds(100),
                    retiresAt: end.map { noon + .seconds($0) })
            }
            let file = [key("dead", until: 0), key("leaked"), key("a", until: 5), key("b")]
            let record = NotedKeys()
            try record.add(["leaked"])
            let keys = nodes.make("node", record: record)
            #expect(try await keys.load { file } == ["a", "b"])
            #expect(try await nodes.keys(.hs256).map(\.id) == ["a", "b"])
            #expect(keys.signing == "b")
            let later = nodes.make("later")
            #expect(
                try await later.load {
                    Issue.record("the file was read again")
                    return file
                } == [])
        }
    }

    @Test func `a file whose keys may not sign yet is taken over and helped out`() async throws {
        try await withKeys(nodes: 0) { nodes async throws in
            let waiting = SecretKey(
                id: "waiting", secret: Secret([UInt8](repeating: 9, count: 32)), signsFrom: noon + .seconds(300),
                retiresAt: nil)
            let keys = nodes.make("node")
            try await keys.load { [waiting] }
            #expect(keys.signing != nil)
            nodes.clock.advance(.seconds(300))
            #expect(keys.signing == "waiting")
        }
    }

    @Test func `without a provider there are login token keys alone`() async throws {
        try await withKeys(nodes: 0) { nodes async throws in
            let keys = nodes.make("beside", algorithms: [.hs256])
            try await keys.load()
            #expect(try await nodes.storage.signingKeys().keys.map(\.algorithm) == [.hs256])
            #expect(try await keys.keys().map(\.use) == [.loginToken])
        }
    }

    @Test func `what ended long ago goes with the next rotation`() async throws {
        try await withKeys { nodes async throws in
            let first = try #require(nodes[0].signing)
            try await nodes[0].rotate()
            nodes.clock.advance(SigningKeys.memory + .seconds(3620))
            try await nodes[0].rotate()
            #expect(try await !nodes.keys(.hs256).contains { $0.id == first })
            #expect(try await nodes.keys(.es256).count == 3)
        }
    }
}
