import Bridge

extension LoginTokenStoreConformance {
    static let revokeCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a revoked token cannot be redeemed, whether its issue was recorded or not") { open in
            let store = try await open()
            _ = try await store.recordIssue(
                Sample.token("issued"), scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            for id in ["issued", "unrecorded"] {
                let token = Sample.token(id)
                let outcome = try await store.revoke(token, at: Sample.now, event: Sample.event(.loginTokenRevoked))
                try expectEqual(outcome, .revoked, id)
                try expectEqual(try await store.redeemSample(token), .revoked(at: Sample.now), id)
                try expectEqual(try await store.session(id: SessionID(rawValue: "session-\(token.id)")), nil, id)
            }
        },
        ConformanceCase("a second revocation reports the first and writes no event") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.revoke(token, at: Sample.now, event: Sample.event(.loginTokenRevoked))
            let later = Sample.now + .seconds(1)
            let again = try await store.revoke(token, at: later, event: Sample.event(.loginTokenRevoked))
            try expectEqual(again, .alreadyRevoked(at: Sample.now), "outcome")
            try expectEqual(try await store.events(.loginTokenRevoked).count, 1, "events")
        },
        ConformanceCase("the end of everything of a user voids the tokens of before, and no later one") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            // Clocks stand apart by more than tokens live, and two ends by less than a clock tells.
            for (round, moment) in [Sample.now, Sample.now - .seconds(90), Sample.now - .seconds(90)].enumerated() {
                let before = Sample.token("before\(round)")
                let after = Sample.token("after\(round)")
                _ = try await servers[0].recordIssue(
                    before, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                _ = try await servers[1].end(.user(before.subject), .sample(at: moment))
                guard case .revoked = try await servers[0].state(of: before.id)?.status else {
                    throw ConformanceFailure(description: "a token of before the end is said to be good")
                }
                _ = try await servers[1].recordIssue(
                    after, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                guard case .revoked = try await servers[0].redeemSample(before, suffix: "b\(round)") else {
                    throw ConformanceFailure(description: "a token of before the end is good")
                }
                try expectEqual(
                    try await servers[0].redeemSample(after, suffix: "a\(round)"), .opened, "a token of after the end")
            }
        },
        ConformanceCase("the end of everything of a user tells once of the tokens it took, and how many") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            func issue(_ token: IssuedLoginToken) async throws {
                _ = try await servers[0].recordIssue(
                    token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            }
            for name in ["one", "two", "used", "revoked"] { try await issue(Sample.token(name)) }
            try await issue(Sample.token("expired", lifetime: .seconds(1)))
            try await issue(Sample.token("another's", subject: "bob"))
            _ = try await servers[0].redeemSample(Sample.token("used"))
            _ = try await servers[0].revoke(
                Sample.token("revoked"), at: Sample.now, event: Sample.event(.loginTokenRevoked))
            let now = Sample.now + .seconds(2)
            let theft = Ending(AdminAction(actor: .client("operator"), reason: "theft", origin: nil, at: now))
            // The second finds nothing, and says nothing.
            for _ in 0..<2 { _ = try await servers[1].end(.user("alice"), theft) }
            let told = try await servers[0].events(.loginTokenRevoked).filter { $0.reason == "theft" }
            try expectEqual(told.count, 1, "events")
            try expectEqual(told.first?.subject?.rawValue, "alice", "whose")
            try expectEqual(told.first?.tokenID, nil, "of no single token")
            try expectEqual(
                told.first?.detail, #"{"actor":"client:operator","login_tokens":2}"#, "by whom, and how many")
            try await issue(Sample.token("after"))
            _ = try await servers[0].end(.opened(by: "app", of: "alice", in: nil), .sample(.signedOutInApp, at: now))
            let left = try await servers[1].events(.loginTokenRevoked).filter { $0.reason == "signed_out_in_app" }
            try expectEqual(left.map(\.detail), [#"{"login_tokens":1}"#], "what an app's sign-out took")
            try expectEqual(left.first?.clientID?.rawValue, "app", "the app")
        },
        ConformanceCase("an app's sign-out takes its own unused tokens, by a session's name those of that session") {
            open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            let own = Sample.appSession("own")
            _ = try await servers[0].open(own, refreshToken: nil, events: [])
            let tokens = [
                Sample.token("phone", issuedIn: "phone"), Sample.token("tablet", issuedIn: "tablet"),
                Sample.token("plain"), Sample.token("another app's", client: "another", issuedIn: "phone"),
                Sample.token("another user's", subject: "bob", issuedIn: "phone"),
                Sample.token("ours", issuedIn: own.id),
            ]
            for token in tokens {
                _ = try await servers[0].recordIssue(
                    token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            }
            let now = Sample.now + .seconds(1)
            func revoked(afterEndIn session: SessionID?) async throws -> Set<String> {
                _ = try await servers[1].end(
                    .opened(by: "app", of: "alice", in: session), .sample(.signedOutInApp, at: now))
                var names: Set<String> = []
                for token in tokens {
                    let status = try await servers[0].state(of: token.id)?.status
                    if status == .revoked(at: now) { names.insert(token.id.rawValue) }
                }
                return names
            }
            try expectEqual(try await revoked(afterEndIn: "unknown"), [], "of a session without any")
            try expectEqual(try await revoked(afterEndIn: "phone"), ["phone"], "of one session")
            try expectEqual(try await revoked(afterEndIn: nil), ["phone", "tablet", "plain"], "of all")
            for token in tokens.suffix(3) {
                try expectEqual(try await servers[0].redeemSample(token, at: now), .opened, token.id.rawValue)
            }
            let told = try await servers[0].events(.loginTokenRevoked)
            try expectEqual(
                Set(told.map(\.detail)), [#"{"login_tokens":1}"#, #"{"login_tokens":2}"#], "how many")
            try expectEqual(Set(told.map(\.sessionID)), ["phone", nil], "in which session")
        },
        ConformanceCase("of a redemption and its app's sign-out at once, on two servers, no session goes on") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            for round in 0..<20 {
                let token = Sample.token("t\(round)")
                _ = try await servers[0].recordIssue(
                    token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                async let redeemed = servers[0].redeemSample(token)
                async let ended = servers[1].end(.opened(by: "app", of: "alice", in: nil), .sample(.signedOutInApp))
                let (outcome, _) = try await (redeemed, ended)
                let session = try await servers[0].session(id: SessionID(rawValue: "session-\(token.id)"))
                switch outcome {
                case .opened: try expect(session?.endedAt != nil, "round \(round): its session has ended")
                case .revoked: try expectEqual(session, nil, "round \(round): its session")
                case .alreadyUsed: throw ConformanceFailure(description: "round \(round): \(outcome)")
                }
            }
        },
        ConformanceCase("an end of what a user has not used voids the tokens of before, and no later one") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            let (before, after) = (Sample.token("before"), Sample.token("after"))
            _ = try await servers[0].recordIssue(
                before, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            _ = try await servers[1].end(.unused(of: "alice"), .sample(.endedByUser))
            _ = try await servers[0].recordIssue(
                after, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            guard case .revoked = try await servers[0].redeemSample(before) else {
                throw ConformanceFailure(description: "a token of before the end is good")
            }
            try expectEqual(try await servers[0].redeemSample(after), .opened, "a token of after the end")
            let told = try await servers[0].events(.loginTokenRevoked)
            try expectEqual(told.map(\.reason), ["ended_by_user"], "why")
            try expectEqual(told.map(\.detail), [#"{"login_tokens":1}"#], "how many")
        },
        ConformanceCase("of two ends of everything at once, on two servers, one tells of the tokens") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            for round in 1...10 {
                _ = try await servers[0].recordIssue(
                    Sample.token("t\(round)"), scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                async let one = servers[0].end(.user("alice"), .sample(at: Sample.now))
                async let other = servers[1].end(.user("alice"), .sample(at: Sample.now))
                _ = try await (one, other)
                try expectEqual(try await servers[0].events(.loginTokenRevoked).count, round, "events")
            }
        },
        ConformanceCase("enabling a user voids what was issued after the disabling, and nothing later") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", issuer: "issuer", at: Sample.now)
            func setDisabled(_ disabled: Bool, at moment: Timestamp) async throws {
                try await servers[0].change("alice", UserChange(isDisabled: disabled), ending: .sample(at: moment))
            }
            // By a clock that is behind as well.
            for (round, moment) in [Sample.now, Sample.now - .seconds(90)].enumerated() {
                let late = Sample.token("late\(round)")
                let after = Sample.token("after\(round)")
                try await setDisabled(true, at: Sample.now)
                _ = try await servers[1].recordIssue(
                    late, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                try await setDisabled(false, at: moment)
                guard case .revoked = try await servers[1].state(of: late.id)?.status else {
                    throw ConformanceFailure(description: "a token of a disabled user is said to be good")
                }
                guard case .revoked = try await servers[1].redeemSample(late) else {
                    throw ConformanceFailure(description: "a token of a disabled user is good again")
                }
                _ = try await servers[1].recordIssue(
                    after, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
                try expectEqual(try await servers[0].redeemSample(after), .opened, "a token of after the enabling")
            }
        },
        ConformanceCase("a used token cannot be revoked") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.redeemSample(token)
            let outcome = try await store.revoke(
                token, at: Sample.now + .seconds(1), event: Sample.event(.loginTokenRevoked))
            try expectEqual(outcome, .alreadyUsed(at: Sample.now), "outcome")
            try expectEqual(try await store.events(.loginTokenRevoked).count, 0, "events")
        },
        ConformanceCase("of a redemption and a revocation at once, on two servers, one wins") { open in
            let servers = [try await open(), try await open()]
            for round in 0..<20 {
                let token = Sample.token("t\(round)")
                async let redeemed = servers[0].redeemSample(token)
                async let revoked = servers[1].revoke(
                    token, at: Sample.now, event: Sample.event(.loginTokenRevoked))
                switch (try await redeemed, try await revoked) {
                case (.opened, .alreadyUsed(let at)): try expectEqual(at, Sample.now, "time of use")
                case (.revoked(let at), .revoked): try expectEqual(at, Sample.now, "time of revocation")
                case (let redeemed, let revoked):
                    throw ConformanceFailure(description: "\(redeemed) and \(revoked) cannot both be")
                }
            }
        },
        ConformanceCase("misses are counted, and the limit revokes the token") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.recordIssue(token, scope: nil, idempotency: nil, event: Sample.event(.loginTokenIssued))
            for miss in 1...2 {
                let count = try await store.recordMiss(
                    token, at: Sample.now, limit: 3, event: Sample.event(.loginTokenRefused), tells: true)
                try expectEqual(count, miss, "misses")
            }
            try expectEqual(try await store.state(of: "t")?.status, .pending, "status before the limit")
            let later = Sample.now + .milliseconds(3)
            _ = try await store.recordMiss(
                token, at: later, limit: 3, event: Sample.event(.loginTokenRefused), tells: true)
            try expectEqual(
                try await store.state(of: "t"),
                LoginTokenState(token: token, status: .revoked(at: later), misses: 3), "state at the limit")
            try expectEqual(try await store.redeemSample(token), .revoked(at: later), "a redemption afterwards")
            try expectEqual(try await store.events(.loginTokenRefused).count, 3, "events")
            let revoked = try await store.events(.loginTokenRevoked)
            try expectEqual(revoked.map(\.reason), ["too_many_misses"], "the token's end")
        },
        ConformanceCase("with a limit of one, the first miss revokes an unrecorded token") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.recordMiss(
                token, at: Sample.now, limit: 1, event: Sample.event(.loginTokenRefused), tells: true)
            try expectEqual(try await store.state(of: "t")?.status, .revoked(at: Sample.now), "status")
        },
        ConformanceCase("of 20 concurrent misses on two servers each is counted until the limit") { open in
            let servers = [try await open(), try await open()]
            let counts = try await concurrently(20) { number in
                try await servers[number % 2].recordMiss(
                    Sample.token("t"), at: Sample.now, limit: 5, event: Sample.event(.loginTokenRefused),
                    tells: true)
            }
            try expectEqual(try await servers[0].events(.loginTokenRevoked).count, 1, "ends")
            // From the fifth on there is nothing left to count.
            try expectEqual(counts.sorted(), [1, 2, 3, 4] + Array(repeating: 5, count: 16), "counts")
            try expectEqual(try await servers[0].state(of: "t")?.status, .revoked(at: Sample.now), "status")
        },
        ConformanceCase("of a miss that is not to be told only the end of the token is") { open in
            let store = try await open()
            for number in 1...6 {
                _ = try await store.recordMiss(
                    Sample.token("t"), at: Sample.now, limit: 3, event: Sample.event(.loginTokenRefused),
                    tells: false)
                try expectEqual(try await store.events(.loginTokenRefused).count, 0, "misses after \(number)")
                try expectEqual(
                    try await store.events(.loginTokenRevoked).count, number < 3 ? 0 : 1, "ends after \(number)")
            }
            try expectEqual(try await store.state(of: "t")?.misses, 3, "misses")
        },
        ConformanceCase("misses never take a used token's use away") { open in
            let store = try await open()
            let token = Sample.token("t")
            _ = try await store.redeemSample(token)
            let later = Sample.now + .seconds(1)
            _ = try await store.recordMiss(
                token, at: later, limit: 1, event: Sample.event(.loginTokenRefused), tells: true)
            try expectEqual(
                try await store.state(of: "t")?.status, .redeemed(Sample.use(Sample.session("t"))), "status")
            try expectEqual(try await store.state(of: "t")?.misses, 0, "misses")
            try expectEqual(try await store.events(.loginTokenRefused).count, 1, "events")
        },
    ]
}
