package import Bridge

/// What every ``UpstreamSessionStore`` must do with the logout tokens of upstream providers.
package enum UpstreamSessionStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        users, sessions, nameless, subtrees, takenOver, leftCode, handedOn, handedOnTwice, raisedBetween,
        repetition, servers, raising, raisingAtOnce,
        goingOn,
    ]

    private static let later = Sample.now + .seconds(1)

    private static let users: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a user's sign-out at a provider ends what came of the user's sign-ins there, and nothing else"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        try await store.openUpstream("two", session: "s2")
        try await store.openUpstream("other", user: "v", session: "s3")
        try await store.openUpstream("elsewhere", issuer: "https://b.example", session: "s1")
        _ = try await store.open(Sample.session("here"), replacing: nil, events: [])
        let ended = try await open().end(namedBy: token("t", .user("u")), .sample(.upstreamSignedOut, at: later))
        try expectEqual(ended?.sessions.sorted { $0.rawValue < $1.rawValue }, ["session-one", "session-two"], "ended")
        try expectEqual(try await store.session(id: "session-one")?.endedAt, later, "when")
        for name in ["other", "elsewhere", "here"] {
            try expectEqual(try await store.session(id: SessionID(rawValue: "session-\(name)"))?.endedAt, nil, name)
        }
        try expectEqual(
            try await store.events(.webSessionEnded).map(\.reason), ["upstream_signed_out", "upstream_signed_out"],
            "events")
    }

    private static let sessions: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "the sign-out of one session at a provider ends what came of that one"
    ) { open in
        let store = try await open()
        for name in ["s1", "s2", "s3"] { try await store.openUpstream(name, session: name) }
        let one = try await store.end(namedBy: token("a", .session("s1", of: "u")), .sample(at: later))
        try expectEqual(one?.sessions, ["session-s1"], "with its user")
        let two = try await store.end(namedBy: token("b", .session("s2", of: nil)), .sample(at: later))
        try expectEqual(two?.sessions, ["session-s2"], "alone")
        let others = try await store.end(namedBy: token("c", .session("s3", of: "v")), .sample(at: later))
        try expectEqual(others, Ended.nothing, "another user's")
        let again = try await store.end(namedBy: token("d", .session("s1", of: "u")), .sample(at: later))
        try expectEqual(again, Ended.nothing, "one that was ended before")
    }

    private static let nameless: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a session of which no session there is known ends with any of its user's"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: nil)
        let unnamed = try await store.end(namedBy: token("a", .session("s1", of: nil)), .sample(at: later))
        try expectEqual(unnamed, Ended.nothing, "by a session alone")
        let named = try await store.end(namedBy: token("b", .session("s1", of: "u")), .sample(at: later))
        try expectEqual(named?.sessions, ["session-one"], "with its user")
    }

    private static let subtrees: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a sign-out at a provider goes as far as one here: what was granted for longer goes on"
    ) { open in
        let store = try await open()
        try await store.changeLogoutSubscribers(adding: ["app"], removing: [])
        try await store.openUpstream("one", session: "s1")
        try await store.openSample(Sample.appSession("short", browser: "session-one"))
        try await store.openSample(
            Sample.appSession("long", browser: "session-one", scope: ["openid", "offline_access"]))
        try await store.openSample(Sample.appSession("other", browser: "session-other"))
        let ended = try await store.end(
            namedBy: token("t", .user("u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expectEqual(ended?.sessions, ["session-one", "app-short"], "ended")
        try expectEqual(try await store.appSession(id: "app-long")?.endedAt, nil, "granted for longer")
        try expectEqual(try await store.appSession(id: "app-other")?.endedAt, nil, "another browser's")
        let notices = try await store.takeLogoutNotices(
            dueAt: Sample.now, lease: .seconds(15), limit: 10, sparing: [])
        // Its app is told of the sign-out, as of one here.
        try expectEqual(notices.map(\.sessionID.rawValue).sorted(), ["app-long", "app-short"], "notices")
    }

    private static let takenOver: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a sign-out at a provider reaches what was granted in a session whose place another has taken"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        try await store.openSample(Sample.appSession("short", browser: "session-one"))
        try await store.openSample(
            Sample.appSession("long", browser: "session-one", scope: ["openid", "offline_access"]))
        let isOpened = try await store.open(
            Sample.session("two"), replacing: ReplacedSession.sample(Sample.session("one")), events: [])
        try expectEqual(isOpened, true, "replaced")
        let ended = try await store.end(
            namedBy: token("t", .session("s1", of: "u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expectEqual(ended?.sessions, ["app-short"], "ended")
        try expectEqual(try await store.appSession(id: "app-long")?.endedAt, nil, "granted for longer")
        try expectEqual(try await store.session(id: "session-two")?.endedAt, nil, "another sign-in's")
    }

    private static let leftCode: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a sign-out at a provider takes a code of a session whose place another has taken, though nothing else came of it"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        let code = Sample.code("code", grant: Sample.grant(browser: "session-one"))
        try expect(try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued)), "a code")
        let isOpened = try await store.open(
            Sample.session("two"), replacing: ReplacedSession.sample(Sample.session("one")), events: [])
        try expectEqual(isOpened, true, "replaced")
        try expect(try await store.code(digest: code.digest) != nil, "the code goes on under it")
        _ = try await store.end(
            namedBy: token("t", .session("s1", of: "u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expect(try await store.code(digest: code.digest) == nil, "the code is gone")
        try expectEqual(try await store.session(id: "session-two")?.endedAt, nil, "another sign-in's")
    }

    private static let handedOn: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a sign-out at a provider reaches the domain that a browser went on to from a session whose place another has taken"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        _ = try await store.open(Sample.handOff("h", from: "session-one"), replacing: nil, events: [])
        for (new, old) in [("two", "one"), ("three", "two")] {
            let isOpened = try await store.open(
                Sample.session(new), replacing: ReplacedSession.sample(Sample.session(old)), events: [])
            try expectEqual(isOpened, true, "\(old) replaced")
        }
        try expectEqual(try await store.session(id: "session-h")?.parentID, "session-three", "under which it is now")
        let ended = try await store.end(
            namedBy: token("t", .session("s1", of: "u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expectEqual(ended?.sessions, ["session-h"], "ended")
        try expectEqual(try await store.session(id: "session-three")?.endedAt, nil, "another sign-in's")
    }

    private static let handedOnTwice: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "what was granted on the other domain ends with the sign-in too, whoever took either's place"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        _ = try await store.open(Sample.handOff("h", from: "session-one"), replacing: nil, events: [])
        try await store.openSample(Sample.appSession("granted", browser: "session-h"))
        let code = Sample.code("code", grant: Sample.grant(browser: "session-h"))
        try expect(try await store.recordCode(code, event: Sample.event(.authorizationCodeIssued)), "a code")
        for (new, old) in [(Sample.session("two"), "one"), (Sample.session("other"), "h")] {
            let replaced = ReplacedSession.sample(
                old == "h" ? Sample.handOff("h", from: "session-one") : Sample.session(old))
            try expect(try await store.open(new, replacing: replaced, events: []), "\(old) replaced")
        }
        let ended = try await store.end(
            namedBy: token("t", .session("s1", of: "u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expectEqual(ended?.sessions, ["app-granted"], "ended")
        try expectEqual(try await store.code(digest: code.digest) == nil, true, "the code")
        for name in ["two", "other"] {
            let session = try await store.session(id: SessionID(rawValue: "session-\(name)"))
            try expectEqual(session?.endedAt, nil, "another sign-in's: \(name)")
        }
    }

    private static let raisedBetween: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "what came of a sign-in before it was made stronger ends with it, also once another took its place"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        _ = try await store.open(Sample.handOff("h", from: "session-one"), replacing: nil, events: [])
        try await store.openSample(Sample.appSession("granted", browser: "session-one"))
        for (new, old, isRaised) in [("two", "one", true), ("three", "two", false)] {
            let replaced = ReplacedSession.sample(Sample.session(old), isRaised: isRaised)
            try expect(try await store.open(Sample.session(new), replacing: replaced, events: []), "\(old) replaced")
        }
        let ended = try await store.end(
            namedBy: token("t", .session("s1", of: "u")), .sample(.upstreamSignedOut, at: Sample.now, extent: .signOut))
        try expectEqual(
            ended?.sessions.sorted { $0.rawValue < $1.rawValue }, ["app-granted", "session-h"], "ended")
        try expectEqual(try await store.session(id: "session-three")?.endedAt, nil, "another sign-in's")
    }

    private static let repetition: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a logout token that comes again ends nothing, also no session of since"
    ) { open in
        let store = try await open()
        let first = try await store.end(namedBy: token("t", .user("u")), .sample(at: later))
        try expectEqual(first, Ended.nothing, "where there is nothing")
        try await store.openUpstream("one", session: "s1")
        try expectEqual(try await open().end(namedBy: token("t", .user("u")), .sample(at: later)), nil, "again")
        try expectEqual(try await store.session(id: "session-one")?.endedAt, nil, "a session of since")
        let other = try await store.end(
            namedBy: token("t", .user("u"), issuer: "https://b.example"), .sample(at: later))
        try expectEqual(other, Ended.nothing, "another provider's of the same name")
    }

    private static let servers: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a logout token that comes to several servers at once counts at one"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].openUpstream("one", session: "s1")
        let outcomes = try await concurrently(8) { number in
            try await servers[number % 2].end(namedBy: token("t", .user("u")), .sample(at: later))
        }
        try expectEqual(outcomes.compactMap(\.self).map(\.sessions), [["session-one"]], "taken")
    }

    private static let raising: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a session that was made stronger still is what came of the sign-in there"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        let raised = try await store.open(
            Sample.session("two"), replacing: ReplacedSession.sample(Sample.session("one"), isRaised: true), events: [])
        try expectEqual(raised, true, "raised")
        let ended = try await store.end(namedBy: token("t", .session("s1", of: "u")), .sample(at: later))
        try expectEqual(ended?.sessions, ["session-two"], "ended")
    }

    private static let raisingAtOnce: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "of a session that is made stronger while its user signs out there nothing stays"
    ) { open in
        let servers = [try await open(), try await open()]
        try await servers[0].addUser("alice", at: Sample.now)
        for round in 0..<20 {
            let (one, two) = ("one\(round)", "two\(round)")
            try await servers[0].openUpstream(one, session: "s\(round)")
            async let raising = servers[0].open(
                Sample.session(two), replacing: ReplacedSession.sample(Sample.session(one), isRaised: true), events: [])
            async let ending = servers[1].end(
                namedBy: token("t\(round)", .session("s\(round)", of: "u")), .sample(at: later))
            let (isRaised, ended) = try await (raising, ending)
            try expect(ended != nil, "round \(round): not taken")
            for name in isRaised ? [one, two] : [one] {
                let session = try await servers[0].session(id: SessionID(rawValue: "session-\(name)"))
                try expect(session?.endedAt != nil, "round \(round): \(name) goes on")
            }
        }
    }

    private static let goingOn: ConformanceCase<any BridgeStorage> = ConformanceCase(
        "a session that goes on from one that has ended still is what came of the sign-in there"
    ) { open in
        let store = try await open()
        try await store.openUpstream("one", session: "s1")
        _ = try await store.end(.user("alice"), .sample(.passwordChanged), first: [])
        let opened = try await store.open(
            Sample.session("two"), replacing: ReplacedSession.sample(Sample.session("one"), isSameSignIn: true),
            events: [])
        try expectEqual(opened, true, "opened")
        try expectEqual(try await store.events(.webSessionEnded).map(\.reason), ["password_changed"], "events")
        let ended = try await store.end(namedBy: token("t", .session("s1", of: "u")), .sample(at: later))
        try expectEqual(ended?.sessions, ["session-two"], "ended")
    }

    private static func token(
        _ id: String, _ reach: LogoutToken.Reach, issuer: String = "https://a.example"
    ) -> LogoutToken {
        LogoutToken(
            issuer: issuer, reach: reach, id: id, madeAfter: Sample.now - .seconds(30),
            usableUntil: Sample.now + .seconds(150))
    }
}

extension BridgeStorage {
    /// A session of alice's that came of a sign-in at a provider.
    fileprivate func openUpstream(
        _ name: String, issuer: String = "https://a.example", user: String = "u", session: String?
    ) async throws {
        let isOpened = try await open(
            Sample.session(name), replacing: nil,
            provenBy: .upstream(UpstreamSession(issuer: issuer, subject: user, session: session)), events: [])
        try expectEqual(isOpened, true, name)
    }
}
