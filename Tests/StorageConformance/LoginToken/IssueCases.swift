import Bridge
import OAuth2

extension LoginTokenStoreConformance {
    static let issueCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an issued token is pending, and its event is written") { open in
            let store = try await open()
            let token = Sample.token("t")
            let outcome = try await store.recordIssue(
                token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            try expectEqual(outcome, .recorded, "outcome")
            try expectEqual(
                try await store.state(of: "t"), LoginTokenState(token: token, status: .pending, misses: 0), "state")
            try expectEqual(try await store.events(.loginTokenIssued).count, 1, "events")
        },
        ConformanceCase("a user comes into being with the first token, and is its issuer's alone") { open in
            let store = try await open()
            let event = Sample.event(.loginTokenIssued)
            let first = try await store.recordIssue(
                Sample.token("a"), scope: nil, namedFirstBy: "one", idempotency: nil, event: event)
            let second = try await store.recordIssue(
                Sample.token("b"), scope: nil, namedFirstBy: "two", idempotency: nil, event: event)
            try expectEqual([first, second], [.recorded, .userKnown], "outcomes")
            try expectEqual(try await store.record(of: Sample.token("a").subject)?.issuer, "one", "issuer")
            try expectEqual(try await store.state(of: "b"), nil, "the second token's state")
            try expectEqual(try await store.events(.loginTokenIssued).count, 1, "events")
        },
        ConformanceCase("of many first tokens of one user at the same time, on two servers, one is recorded") { open in
            let servers = [try await open(), try await open()]
            let outcomes = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await servers[number % 2].recordIssue(
                            Sample.token("t\(number)"), scope: nil, namedFirstBy: "i\(number)",
                            idempotency: nil, event: Sample.event(.loginTokenIssued))
                    }
                }
                return try await group.reduce(into: [LoginTokenIssueOutcome]()) { $0.append($1) }
            }
            try expectEqual(outcomes.filter { $0 == .recorded }.count, 1, "recorded")
            try expectEqual(outcomes.filter { $0 == .userKnown }.count, 19, "known")
            try expectEqual(try await servers[0].events(.loginTokenIssued).count, 1, "events")
        },
        ConformanceCase("a token that was never issued has no state") { open in
            try expectEqual(try await open().state(of: "nobody"), nil, "state")
        },
        ConformanceCase("a token's facts come back as they were, whatever the script") { open in
            let store = try await open()
            let token = IssuedLoginToken(
                id: "t", subject: "Ünïcode 使用者 👩‍💻 '\"; --", clientID: "app:ß",
                issuedAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 60_001), sessionID: "s ß")
            _ = try await store.recordIssue(token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            try expectEqual(try await open().state(of: "t")?.token, token, "token")
        },
        ConformanceCase("the session that a token was issued from is found, with what its bearer had") { open in
            let store = try await open()
            let app = Sample.appSession("a", scope: ["openid", "profile"])
            try await store.openSample(app)
            let browser = try await store.openBrowser()
            let narrow = Scope(tokens: ["openid"])
            _ = try await store.recordIssue(
                Sample.token("narrow"), scope: narrow, idempotency: nil, event: Sample.event(.loginTokenIssued))
            _ = try await store.recordIssue(
                Sample.token("whole"), scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            let other = try await open()
            try expectEqual(
                try await other.issuingSession(app.id, of: "narrow"), .app(app, scope: narrow), "with less than all")
            for token: TokenID in ["whole", "never recorded"] {
                try expectEqual(
                    try await other.issuingSession(app.id, of: token), .app(app, scope: nil), token.rawValue)
            }
            try expectEqual(
                try await other.issuingSession(browser, of: "whole"), .browser(try await store.browserSession()),
                "a browser's")
            try expectEqual(try await other.issuingSession("its-own", of: "whole"), nil, "another issuer's")
            _ = try await store.end(.appSession(app.id), .sample())
            guard case .app(let ended, _) = try await other.issuingSession(app.id, of: "narrow") else {
                throw ConformanceFailure(description: "one that has ended is not found")
            }
            try expectEqual(ended.endedAt, Sample.now, "its end")
        },
        ConformanceCase("an issued token survives a restart") { open in
            let first = try await open()
            _ = try await first.recordIssue(
                Sample.token("t"), scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            try await first.close()
            try expectEqual(try await open().state(of: "t")?.status, .pending, "status")
        },
    ]

    static let idempotencyCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a repeated key gets the first record back and writes nothing") { open in
            let store = try await open()
            let first = Sample.record(key: "k", token: Sample.token("first"))
            _ = try await store.recordIssue(
                Sample.token("first"), scope: nil, idempotency: first, event: Sample.event(.loginTokenIssued))
            let again = try await store.recordIssue(
                Sample.token("second"), scope: nil, idempotency: Sample.record(key: "k", token: Sample.token("second")),
                event: Sample.event(.loginTokenIssued))
            try expectEqual(again, .repeated(first), "outcome")
            try expectEqual(try await store.state(of: "second"), nil, "the second token's state")
            try expectEqual(try await store.events(.loginTokenIssued).count, 1, "events")
        },
        ConformanceCase("a key used for another request is refused") { open in
            let store = try await open()
            _ = try await store.recordIssue(
                Sample.token("first"), scope: nil, idempotency: Sample.record(key: "k", token: Sample.token("first")),
                event: Sample.event(.loginTokenIssued))
            let other = Sample.record(key: "k", fingerprint: "other", token: Sample.token("second"))
            let outcome = try await store.recordIssue(
                Sample.token("second"), scope: nil, idempotency: other, event: Sample.event(.loginTokenIssued))
            try expectEqual(outcome, .keyReused, "outcome")
        },
        ConformanceCase("a key's record lives until its expiry, and not at it") { open in
            let store = try await open()
            let record = Sample.record(key: "k", token: Sample.token("t"))
            _ = try await store.recordIssue(
                Sample.token("t"), scope: nil, idempotency: record, event: Sample.event(.loginTokenIssued))
            let last = record.expiresAt - .milliseconds(1)
            try expectEqual(try await store.idempotencyRecord(keyDigest: "k", at: last), record, "the record")
            try expectEqual(
                try await store.idempotencyRecord(keyDigest: "k", at: record.expiresAt), nil, "at its expiry")
            try expectEqual(try await store.idempotencyRecord(keyDigest: "x", at: Sample.now), nil, "another key")
        },
        ConformanceCase("a key whose record expired can be used again") { open in
            let store = try await open()
            let first = Sample.token("first")
            _ = try await store.recordIssue(
                first, scope: nil, idempotency: Sample.record(key: "k", token: first),
                event: Sample.event(.loginTokenIssued))
            let second = Sample.token("second", issuedAt: first.expiresAt)
            let record = Sample.record(key: "k", fingerprint: "other", token: second)
            let outcome = try await store.recordIssue(
                second, scope: nil, idempotency: record, event: Sample.event(.loginTokenIssued))
            try expectEqual(outcome, .recorded, "outcome")
            try expectEqual(
                try await store.idempotencyRecord(keyDigest: "k", at: second.issuedAt), record, "the record")
        },
        ConformanceCase("a key is free again once its token was revoked, and not once it was used") { open in
            let servers = [try await open(), try await open()]
            let (first, second, third) = (Sample.token("first"), Sample.token("second"), Sample.token("third"))
            func issue(_ token: IssuedLoginToken) async throws -> LoginTokenIssueOutcome {
                try await servers[1].recordIssue(
                    token, scope: nil, idempotency: Sample.record(key: "k", token: token),
                    event: Sample.event(.loginTokenIssued))
            }
            try expectEqual(try await issue(first), .recorded, "the first")
            _ = try await servers[0].revoke(first, at: Sample.now, event: Sample.event(.loginTokenRevoked))
            try expectEqual(
                try await servers[1].idempotencyRecord(keyDigest: "k", at: Sample.now), nil, "of a revoked token")
            try expectEqual(try await issue(second), .recorded, "the second")
            _ = try await servers[0].redeemSample(second)
            try expectEqual(
                try await issue(third), .repeated(Sample.record(key: "k", token: second)), "after the second's use")
        },
        ConformanceCase("a key is free again once everything of its user was ended, and not where its token was used") {
            open in
            let servers = [try await open(), try await open()]
            let (first, second, third) = (Sample.token("first"), Sample.token("second"), Sample.token("third"))
            func issue(_ token: IssuedLoginToken, by issuer: String? = nil) async throws -> LoginTokenIssueOutcome {
                try await servers[1].recordIssue(
                    token, scope: nil, namedFirstBy: issuer, idempotency: Sample.record(key: "k", token: token),
                    event: Sample.event(.loginTokenIssued))
            }
            try expectEqual(try await issue(first, by: "one"), .recorded, "the first")
            _ = try await servers[0].end(.user(first.subject), .sample(at: Sample.now))
            try expectEqual(
                try await servers[1].idempotencyRecord(keyDigest: "k", at: Sample.now), nil, "of an ended token")
            try expectEqual(try await issue(second), .recorded, "the second")
            let record = Sample.record(key: "k", token: second)
            try expectEqual(
                try await servers[0].idempotencyRecord(keyDigest: "k", at: Sample.now), record,
                "of one that was issued after the end")
            _ = try await servers[0].redeemSample(second)
            _ = try await servers[0].end(.user(first.subject), .sample(at: Sample.now))
            try expectEqual(try await issue(third), .repeated(record), "after the second's use")
        },
        ConformanceCase("of 50 concurrent issues with one key on two servers one is recorded") { open in
            let servers = [try await open(), try await open()]
            let outcomes = try await concurrently(50) { number in
                let token = Sample.token("t\(number)")
                return try await servers[number % 2].recordIssue(
                    token, scope: nil, idempotency: Sample.record(key: "k", token: token),
                    event: Sample.event(.loginTokenIssued))
            }
            let winners = outcomes.indices.filter { outcomes[$0] == .recorded }
            try expectEqual(winners.count, 1, "recorded")
            let winner = Sample.record(key: "k", token: Sample.token("t\(winners[0])"))
            for outcome in outcomes where outcome != .recorded {
                try expectEqual(outcome, .repeated(winner), "what a loser is told")
            }
            try expectEqual(try await servers[0].events(.loginTokenIssued).count, 1, "events")
        },
    ]
}
