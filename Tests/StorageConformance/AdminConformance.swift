package import Bridge
import OAuth2

/// What the stores of the administration must do.
package enum AdminConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        sessionCases + groundCases + clientCases + tallyCases

    private static let sessionCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a console session is found by its secret's digest until it is ended") { open in
            let store = try await open()
            let session = AdminSession(
                secretDigest: "digest", actor: .account("zoë"),
                credential: AdminCredential(
                    tokenID: "jti", clientID: "app", sessionID: "sid", signedInAt: Sample.now - .seconds(5),
                    epoch: AdminCredential.firstEpoch),
                createdAt: Sample.now, expiresAt: Sample.now + .seconds(3600), lastSeenAt: Sample.now)
            try await store.open(session, event: Sample.event(.adminSignedIn))
            try expectEqual(try await open().adminSession(secretDigest: "digest"), session, "session")
            try expectEqual(try await store.adminSession(secretDigest: "other"), nil, "another")
            try await store.touchAdminSession("digest", at: Sample.now + .seconds(60))
            try await store.touchAdminSession("digest", at: Sample.now + .seconds(30))
            try expectEqual(
                try await store.adminSession(secretDigest: "digest")?.lastSeenAt, Sample.now + .seconds(60), "seen")
            let event = Sample.event(.adminSignedOut)
            try expect(try await store.endAdminSession("digest", event: event), "it is ended")
            try expect(try await !store.endAdminSession("digest", event: event), "it was ended")
            try expectEqual(try await store.adminSession(secretDigest: "digest"), nil, "session")
            try expectEqual(try await store.events(.adminSignedOut).count, 1, "events")
        },
        ConformanceCase("a restore ends every console session, each with an event, unless sessions are kept") { open in
            let store = try await open()
            try await store.openConsole("one", .account("zoë"), lifetime: .seconds(100))
            try await store.openConsole("two", .account("alice"), lifetime: .seconds(100))
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
            try expectEqual(try await store.events(.adminSignedOut).count, 0, "kept")
            _ = try await store.recordRestore(
                by: .login("root"), at: Sample.now, keepsSessions: false, reason: "the disk")
            try expectEqual(try await store.adminSession(secretDigest: "one"), nil, "one")
            try expectEqual(try await store.adminSession(secretDigest: "two"), nil, "two")
            let ends = try await store.events(.adminSignedOut)
            try expectEqual(ends.map(\.reason), ["restored", "restored"], "events")
        },
        ConformanceCase("expired console sessions are purged, others stay") { open in
            let store = try await open()
            for (digest, seconds) in [("old", 10), ("young", 100)] {
                try await store.openConsole(digest, .account("zoë"), lifetime: .seconds(seconds))
            }
            try await store.purgeAdminSessions(expiredBefore: Sample.now + .seconds(50))
            try expectEqual(try await store.adminSession(secretDigest: "old"), nil, "old")
            try expectEqual(
                try await store.adminSession(secretDigest: "young")?.actor, .account("zoë"), "young")
        },
        ConformanceCase("a user's sessions are listed newest first, page by page, and ended together") { open in
            let store = try await open()
            for number in 1...5 {
                _ = try await store.redeemSample(
                    Sample.token("t\(number)"), at: Sample.now + .milliseconds(number))
            }
            _ = try await store.redeemSample(Sample.token("other", subject: "bob"))
            var found: [String] = []
            var cursor: SessionID?
            repeat {
                let page = try await store.sessions(of: "alice", before: cursor, limit: 2)
                found += page.map(\.id.rawValue)
                cursor = page.last?.id
            } while cursor != nil
            try expectEqual(found, (1...5).reversed().map { "session-t\($0)" }, "listed")
            let now = Sample.now + .seconds(1)
            try expectEqual(try await store.countLiveSessions(at: now), 6, "live before")
            let ended = try await store.end(.user("alice"), .sample(at: now))
            try expectEqual(Set(ended.sessions.map(\.rawValue)), Set(found), "ended")
            try expectEqual(try await store.countLiveSessions(at: now), 1, "live after")
            try expectEqual(try await store.end(.user("alice"), .sample(at: now)), .nothing, "ended again")
            let events = try await store.events(.webSessionEnded)
            try expectEqual(Set(events.compactMap(\.sessionID?.rawValue)), Set(found), "events")
        },
        ConformanceCase("a user's living sessions are found newest first, however many have ended since") { open in
            let store = try await open()
            // The last is somebody else's.
            for (name, subject) in [("idle", "alice"), ("a", "alice"), ("b", "alice"), ("c", "alice"), ("d", "bob")] {
                let opened = Sample.now + .seconds(name == "idle" ? 0 : 1)
                _ = try await store.redeemSample(
                    Sample.token(name, subject: Subject(rawValue: subject), issuedAt: opened), at: opened)
            }
            for name in ["ended", "too"] {
                _ = try await store.redeemSample(Sample.token(name), at: Sample.now + .seconds(2))
                _ = try await store.end(.webSession(SessionID(rawValue: "session-\(name)")), .sample())
            }
            let now = Sample.now + .seconds(600)
            func found(at now: Timestamp, limit: Int) async throws -> [SessionID] {
                try await store.sessions(of: "alice", aliveAt: now, limit: limit).map(\.id)
            }
            try expectEqual(try await found(at: now, limit: 9), ["session-c", "session-b", "session-a"], "alive")
            try expectEqual(try await found(at: now, limit: 2), ["session-c", "session-b"], "at most two")
            try await store.touch("session-idle", at: now - .seconds(1))
            try expectEqual(try await found(at: now, limit: 9).last, "session-idle", "one that was seen since")
            try await store.touch("session-a", at: Sample.now + .seconds(3500))
            try expectEqual(try await found(at: Sample.now + .seconds(3600), limit: 9), ["session-a"], "in use")
            try expectEqual(try await found(at: Sample.now + .seconds(3601), limit: 9), [], "at the absolute end")
        },
    ]

    /// Each takes away what the session of the console named here hangs on, and leaves another's alone.
    private static let groundCases: [ConformanceCase<any BridgeStorage>] = [
        ground("the revocation of its token", of: .client("robot")) { store in
            try await store.revokeToken(
                "token-mine", until: Sample.now, event: Sample.event(.accessTokenRevoked, reason: "administrator"))
        },
        ground("its client's deletion", of: .client("robot")) { store in
            _ = try await store.deleteClient(
                "client-mine", event: Sample.event(.clientDeleted, reason: "administrator"))
        },
        ground("its client's deletion as it was read", of: .client("robot")) { store in
            _ = try await store.deleteClient(
                unchanged: Sample.administration("client-mine"),
                event: Sample.event(.clientDeleted, reason: "administrator"))
        },
        ground("the loss of the scope admin", of: .client("robot")) { store in
            _ = try await store.save(
                Client(id: "client-mine", name: "client-mine", kind: .service),
                expecting: .unchanged(Sample.administration("client-mine")),
                event: Sample.event(.clientChanged, reason: "administrator"))
        },
        ground("an end of everything of its user", of: .account("mine")) { store in
            _ = try await store.end(.user("mine"), .sample(.administrator))
        },
        ground("a new password", of: .account("mine")) { store in
            try await store.change("mine", UserChange(passwordHash: try Sample.passwordHash()))
        },
        ground("the disabling of its user", of: .account("mine")) { store in
            try await store.change("mine", UserChange(isDisabled: true))
        },
        ground("the loss of the role", of: .account("mine")) { store in
            _ = try await store.changeUser(
                "mine", UserChange(role: .take), events: { type, _ in Sample.event(type, reason: "administrator") },
                ending: .sample(.administrator))
        },
    ]

    private static func ground(
        _ name: String, of actor: AdminActor, _ takeAway: @escaping @Sendable (any BridgeStorage) async throws -> Void
    ) -> ConformanceCase<any BridgeStorage> {
        ConformanceCase("\(name) ends a session of the console, with its event, and nobody else's") { open in
            let store = try await open()
            for name in ["mine", "other"] {
                try await store.addAdministrator(Subject(rawValue: name))
                _ = try await store.save(
                    Sample.administration(ClientID(rawValue: "client-\(name)")), expecting: .absent,
                    event: Sample.event(.clientCreated))
                let other: AdminActor = if case .client = actor { .client("other") } else { .account("other") }
                try await store.openConsole(name, name == "mine" ? actor : other)
            }
            try await takeAway(store)
            try expectEqual(try await open().adminSession(secretDigest: "mine"), nil, "mine")
            try expect(try await store.adminSession(secretDigest: "other") != nil, "another's is left")
            let events = try await store.events(.adminSignedOut)
            try expectEqual(events.map(\.reason), ["administrator"], "reasons")
            try expectEqual(events.map(\.tokenID), ["token-mine"], "tokens")
            try expectEqual(events.map(\.detail), [#"{"actor":"\#(actor)"}"#], "actors")
        }
    }

    private static let clientCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("of 20 changes of what was read one is made") { open in
            let servers = [try await open(), try await open()]
            let seen = Client(id: "c", name: "seen", kind: .native)
            _ = try await servers[0].save(seen, expecting: .absent, event: Sample.event(.clientCreated))
            let saved = try await concurrently(20) { number in
                try await servers[number % 2].save(
                    Client(id: "c", name: "\(number)", kind: .native), expecting: .unchanged(seen),
                    event: Sample.event(.clientChanged))
            }
            try expectEqual(saved.count { $0 }, 1, "made")
            try expectEqual(try await servers[0].events(.clientChanged).count, 1, "events")
            let event = Sample.event(.clientDeleted)
            try expect(try await !servers[0].deleteClient(unchanged: seen, event: event), "not what was read")
            let present = try await servers[0].clients()
            try expect(try await servers[1].deleteClient(unchanged: present[0], event: event), "what was read")
        },
        ConformanceCase("every change of the clients changes their version") { open in
            let store = try await open()
            var versions: Set = [try await store.clientsVersion()]
            func note(_ what: String) async throws {
                let version = try await open().clientsVersion()
                try expect(versions.insert(version).inserted, "\(what) gives another version")
            }
            let first = Client(id: "c", name: "first", kind: .native)
            _ = try await store.save(first, expecting: .absent, event: Sample.event(.clientCreated))
            try await note("adding")
            // In the same millisecond.
            let second = Client(id: "c", name: "second", kind: .native)
            _ = try await store.save(second, expecting: .unchanged(first), event: Sample.event(.clientChanged))
            try await note("replacing")
            _ = try await store.save(first, expecting: .unchanged(second), event: Sample.event(.clientChanged))
            try await note("replacing it by what was there before")
            _ = try await store.deleteClient("c", event: Sample.event(.clientDeleted))
            try expectEqual(try await store.clients(), [], "clients")
            try expect(try await store.clientsVersion() != "1 0", "deleting gives another version")
        },
        ConformanceCase("a change of a client counts, however far ahead the clock was that made another one") { open in
            let store = try await open()
            let ahead = Sample.event(.clientCreated, at: Sample.now + .seconds(20))
            _ = try await store.save(Client(id: "d", name: "d", kind: .native), expecting: .absent, event: ahead)
            var last = Client(id: "c", name: "first", kind: .native)
            _ = try await store.save(last, expecting: .absent, event: Sample.event(.clientCreated))
            var versions: Set = [try await store.clientsVersion()]
            for name in ["second", "third"] {
                let next = Client(id: "c", name: name, kind: .native)
                _ = try await store.save(next, expecting: .unchanged(last), event: Sample.event(.clientChanged))
                last = next
                let version = try await open().clientsVersion()
                try expect(versions.insert(version).inserted, "the \(name) gives another version")
            }
        },
    ]

    private static let tallyCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("events are counted once, whether they were tallied or not") { open in
            let store = try await open()
            let minute = Timestamp(milliseconds: Sample.now.milliseconds / 60_000 * 60_000)
            let events = [
                Sample.event(.loginTokenIssued, at: minute), Sample.event(.loginTokenIssued, at: minute + .seconds(59)),
                Sample.event(.loginTokenIssued, at: minute + .seconds(60)),
                Sample.event(.loginTokenRefused, at: minute, outcome: .failure, reason: "expired"),
            ]
            try await store.append(events)
            let want: Set = [
                AuditTally(at: minute, type: .loginTokenIssued, outcome: .success, reason: nil, count: 2),
                AuditTally(
                    at: minute + .seconds(60), type: .loginTokenIssued, outcome: .success, reason: nil, count: 1),
                AuditTally(at: minute, type: .loginTokenRefused, outcome: .failure, reason: "expired", count: 1),
            ]
            let end = minute + .seconds(120)
            try expectEqual(Set(try await store.tallies(from: minute, to: end)), want, "before the tally")
            var steps = 0
            while try await !store.advanceTally(limit: 2).isEmpty { steps += 1 }
            try expectEqual(steps, 2, "steps")
            try expectEqual(Set(try await open().tallies(from: minute, to: end)), want, "after the tally")
            try expectEqual(
                try await store.tallies(from: minute + .seconds(60), to: end).count, 1, "in the second minute")
        },
        ConformanceCase("counts are added up by the bars of a chart, whether they were tallied or not") { open in
            let store = try await open()
            let width: Int64 = 120 * 60_000
            let bar = Timestamp(milliseconds: Sample.now.milliseconds / width * width)
            let minutes = [0, 1, 119, 120].map { bar + .seconds($0 * 60) }
            try await store.append(minutes.map { Sample.event(.loginTokenIssued, at: $0) })
            let end = bar + .milliseconds(2 * width)
            func counts() async throws -> [AuditTally] {
                try await store.tallies(from: bar, to: end, minutesPerBar: 120)
            }
            let before: [Timestamp: Int64] = try await counts().reduce(into: [:]) {
                $0[$1.at, default: 0] += $1.count
            }
            try expectEqual(before, [bar: 3, bar + .milliseconds(width): 1], "before the tally")
            while try await !store.advanceTally(limit: 100).isEmpty {}
            let after = try await counts().sorted { $0.at < $1.at }
            try expectEqual(after.map(\.at), [bar, bar + .milliseconds(width)], "bars after the tally")
            try expectEqual(after.map(\.count), [3, 1], "counts after the tally")
        },
        ConformanceCase("events that were counted instead of written are in the counts") { open in
            let store = try await open()
            let minute = Timestamp(milliseconds: Sample.now.milliseconds / 60_000 * 60_000)
            for (second, detail) in [
                (
                    1,
                    #"{"events":9,"types":{"login_token.refused":7,"device_code.issued":1,"bearer.refused":1},"#
                        + #""failures":{"login_token.refused":7,"bearer.refused":1}}"#
                ),
                (11, #"{"events":5,"failures":{"login_token.refused":5,"user.signed_in":-3}}"#), (21, "no JSON"),
            ] {
                var event = Sample.event(.auditSuppressed, at: minute + .seconds(second), reason: "too_many")
                event.detail = detail
                try await store.append([event])
            }
            func counts() async throws -> [String: Int64] {
                try await store.tallies(from: minute, to: minute + .seconds(60)).filter { $0.outcome == .failure }
                    .reduce(into: [:]) { $0["\($1.type.rawValue) \($1.reason ?? "")", default: 0] += $1.count }
            }
            let want: [String: Int64] = ["login_token.refused too_many": 12, "bearer.refused too_many": 1]
            try expectEqual(try await counts(), want, "before the tally")
            // One at a time: what a later step finds is added.
            while try await !store.advanceTally(limit: 1).isEmpty {}
            try expectEqual(try await counts(), want, "after the tally")
        },
        ConformanceCase("a sample is kept by the minute, the last one stands") { open in
            let store = try await open()
            for (second, value) in [(0, 3), (60, 4), (60, 5), (120, 6)] as [(Int, Int64)] {
                try await store.record(
                    StateSample(at: Sample.now + .seconds(second), name: .webSessions, value: value))
            }
            let found = try await store.samples(
                .webSessions, from: Sample.now, to: Sample.now + .seconds(120))
            try expectEqual(found.map(\.value), [3, 5], "values")
        },
        ConformanceCase("counts and samples of before are removed, and no others") { open in
            let store = try await open()
            let minute = Timestamp(milliseconds: Sample.now.milliseconds / 60_000 * 60_000)
            let days = [0, 1, 3].map { minute + .seconds($0 * 86_400) }
            try await store.append(days.map { Sample.event(.loginTokenIssued, at: $0) })
            while try await !store.advanceTally(limit: 100).isEmpty {}
            for day in days { try await store.record(StateSample(at: day, name: .webSessions, value: 1)) }
            let cutoff = days[2]
            var place = Timestamp(milliseconds: .min)
            var steps = 0
            while let next = try await store.purgeTallies(from: place, before: cutoff), steps < 50 {
                place = next
                steps += 1
            }
            try expectEqual(steps, 2, "steps: hours with nothing in them are none")
            let end = cutoff + .seconds(86_400)
            try expectEqual(
                try await store.tallies(from: Timestamp(milliseconds: 0), to: end).map(\.count), [1], "counts")
            try expectEqual(
                try await store.samples(.webSessions, from: Timestamp(milliseconds: 0), to: end).map(\.at), [cutoff],
                "samples")
        },
    ]
}

extension Sample {
    static func administration(_ id: ClientID) -> Client {
        var client = Client(id: id, name: id.rawValue, kind: .service)
        client.scope = Scope(tokens: [Scope.admin])
        return client
    }
}

extension BridgeStorage {
    func addAdministrator(_ subject: Subject) async throws {
        let account = Account(
            subject: subject, username: Username(subject.rawValue), role: .admin, createdAt: Sample.now)
        _ = try await addAccount(account, issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
    }

    /// Opens a session of the console whose token and client are named after it.
    func openConsole(_ name: String, _ actor: AdminActor, lifetime: Duration = .seconds(3600)) async throws {
        try await open(
            AdminSession(
                secretDigest: name, actor: actor,
                credential: AdminCredential(
                    tokenID: TokenID(rawValue: "token-\(name)"), clientID: ClientID(rawValue: "client-\(name)"),
                    epoch: AdminCredential.firstEpoch),
                createdAt: Sample.now, expiresAt: Sample.now + lifetime, lastSeenAt: Sample.now),
            event: Sample.event(.adminSignedIn))
    }
}
