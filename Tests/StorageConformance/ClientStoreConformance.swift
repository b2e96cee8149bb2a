package import Bridge
import OAuth2

/// What every ``ClientStore`` must do.
package enum ClientStoreConformance {
    package static let cases = clientCases + epochCases + assertionCases

    private static let clientCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("every field of a client comes back as it was") { open in
            let store = try await open()
            let website = Client(
                id: "web", name: "Größe \"网站\"", kind: .web, publicOrigin: WebOrigin("https://www.example.com:8443"),
                returnPaths: try ReturnPathPolicy(entries: ["/contacts", "/account/*"], defaultPath: "/contacts"),
                redeemMode: .confirm, replayResponse: .alert, sessionLifetime: .seconds(7200),
                sessionIdle: .seconds(120))
            let app = Client(
                id: "app", name: "app", kind: .native, canIssueLoginTokens: true, mayReach: ["web", "other"])
            for client in [website, app] {
                let saved = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
                try expect(saved, "\(client.id) is added")
            }
            try expectEqual(try await open().clients(), [app, website], "clients, by id")
            try expectEqual(try await store.events(.clientCreated).count, 2, "events")
        },
        ConformanceCase("an expectation that does not hold changes nothing") { open in
            let store = try await open()
            let first = Client(id: "c", name: "first", kind: .native)
            let second = Client(id: "c", name: "second", kind: .native)
            try expect(
                try await !store.save(second, expecting: .unchanged(first), event: Sample.event(.clientChanged)),
                "what is absent is not replaced")
            try expect(
                try await store.save(first, expecting: .absent, event: Sample.event(.clientCreated)), "it is added")
            try expect(
                try await !store.save(second, expecting: .absent, event: Sample.event(.clientCreated)),
                "what is present is not added")
            try expectEqual(try await store.clients(), [first], "clients")
            try expect(
                try await !store.save(first, expecting: .unchanged(second), event: Sample.event(.clientChanged)),
                "what nobody has seen is not replaced")
            try expect(
                try await store.save(second, expecting: .unchanged(first), event: Sample.event(.clientChanged)),
                "what was seen is replaced")
            try expectEqual(try await store.clients(), [second], "clients")
            try expectEqual(try await store.events(.clientCreated).count, 1, "created events")
            try expectEqual(try await store.events(.clientChanged).count, 1, "changed events")
        },
        ConformanceCase("a client is deleted once") { open in
            let store = try await open()
            let client = Client(id: "c", name: "c", kind: .native)
            _ = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
            try expect(try await store.deleteClient("c", event: Sample.event(.clientDeleted)), "it is deleted")
            try expect(try await !store.deleteClient("c", event: Sample.event(.clientDeleted)), "it was gone")
            try expectEqual(try await store.clients(), [], "clients")
            try expectEqual(try await store.events(.clientDeleted).count, 1, "events")
        },
        ConformanceCase("of 20 concurrent additions of one client on two servers one is made") { open in
            let servers = [try await open(), try await open()]
            let saved = try await concurrently(20) { number in
                try await servers[number % 2].save(
                    Client(id: "c", name: "\(number)", kind: .native), expecting: .absent,
                    event: Sample.event(.clientCreated))
            }
            try expectEqual(saved.count { $0 }, 1, "made")
            try expectEqual(try await servers[0].events(.clientCreated).count, 1, "events")
        },
    ]

    /// Since when a client's tokens administer (ADR-0074).
    private static let epochCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("another secret, and the right given or taken, begin another epoch of a client") { open in
            let store = try await open()
            var client = operating()
            func change(_ what: String, to epoch: Timestamp, by change: (inout Client) -> Void) async throws {
                let seen = client
                change(&client)
                let saved = try await store.save(
                    client, expecting: .unchanged(seen), event: Sample.event(.clientChanged))
                try expect(saved, "\(what) is saved")
                try expectEqual(try await open().clients().map(\.adminEpoch), [epoch], what)
            }
            let start = Sample.now
            _ = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
            try expectEqual(try await open().clients().map(\.adminEpoch), [start], "a new client")
            try await change("a name", to: start) { $0.name = "renamed" }
            // In the same millisecond.
            try await change("a secret", to: start + .milliseconds(1)) { $0.secretDigest = digest(2) }
            try await change("no right", to: start + .milliseconds(2)) { $0.scope = Scope(tokens: ["read"]) }
            try await change("a secret without the right", to: start + .milliseconds(2)) { $0.secretDigest = digest(3) }
            try await change("the right", to: start + .milliseconds(3)) { $0.scope = Scope(tokens: [Scope.admin]) }
        },
        ConformanceCase("a client that is added again is of an epoch of its own") { open in
            let store = try await open()
            _ = try await store.save(operating(), expecting: .absent, event: Sample.event(.clientCreated))
            _ = try await store.deleteClient("client-ops", event: Sample.event(.clientDeleted))
            let later = Sample.now + .seconds(60)
            _ = try await store.save(operating(), expecting: .absent, event: Sample.event(.clientCreated, at: later))
            try expectEqual(try await store.clients().map(\.adminEpoch), [later], "epoch")
        },
        ConformanceCase("another epoch of a client ends the consoles that its tokens opened, each with an event") {
            open in
            let store = try await open()
            var client = operating()
            _ = try await store.save(client, expecting: .absent, event: Sample.event(.clientCreated))
            try await store.openConsole("ops", .client("client-ops"))
            try await store.openConsole("other", .client("client-other"))
            for number in 1...2 as ClosedRange<UInt8> {
                let seen = client
                client.name = "renamed"
                client.secretDigest = digest(number)
                let saved = try await store.save(
                    client, expecting: .unchanged(seen), event: Sample.event(.clientChanged, reason: "leaked"))
                try expect(saved, "it is saved")
                let isOpen = try await store.adminSession(secretDigest: "ops") != nil
                try expectEqual(isOpen, number == 1, "the console, with secret \(number)")
            }
            try expect(try await store.adminSession(secretDigest: "other") != nil, "another client's stays")
            try expectEqual(try await store.events(.adminSignedOut).map(\.reason), ["leaked"], "events")
        },
    ]

    /// A client that administers, by whose tokens ``BridgeStorage/openConsole(_:_:lifetime:)`` opens `ops`.
    private static func operating() -> Client {
        var client = Client(id: "client-ops", name: "ops", kind: .service)
        client.scope = Scope(tokens: [Scope.admin])
        client.secretDigest = digest(1)
        return client
    }

    private static func digest(_ number: UInt8) -> String { Base64URL.encode([UInt8](repeating: number, count: 32)) }

    private static let assertionCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("of 100 concurrent uses of an assertion on two servers one counts") { open in
            let servers = [try await open(), try await open()]
            let claims = try await concurrently(100) { number in
                try await servers[number % 2].claimUse(
                    digest: "a", madeAfter: Sample.now, until: Sample.now + .seconds(60))
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expect(
                try await servers[0].claimUse(
                    digest: "b", madeAfter: Sample.now, until: Sample.now + .seconds(60)), "another counts")
        },
        ConformanceCase("an assertion that is older than a restore is refused, its use may be forgotten") { open in
            let store = try await open()
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
            let until = Sample.now + .seconds(60)
            let before = Sample.now - .milliseconds(1)
            try expect(
                try await !store.claimUse(digest: "old", madeAfter: before, until: until),
                "the old one is refused")
            try expect(
                try await store.claimUse(digest: "new", madeAfter: Sample.now, until: until), "the new one counts"
            )
        },
        ConformanceCase("a used assertion stays used until its row is purged, up to the limit") { open in
            let store = try await open()
            for number in 1...3 {
                _ = try await store.claimUse(
                    digest: "a\(number)", madeAfter: Sample.now, until: Sample.now + .seconds(number))
            }
            let cutoff = Sample.now + .seconds(3)
            try expectEqual(try await store.purgeUses(expiredBefore: cutoff, limit: 1), 1, "at the limit")
            try expectEqual(try await store.purgeUses(expiredBefore: cutoff, limit: 10), 1, "the rest")
            try expect(
                try await !open().claimUse(digest: "a3", madeAfter: Sample.now, until: Sample.now + .seconds(9)),
                "the kept one is used")
        },
    ]
}
