package import Bridge
import OAuth2

/// What every ``GrantStore`` and ``GrantStore`` must do.
package enum RefreshTokenStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a refresh token comes back with its session") { open in
            let store = try await open()
            let session = Sample.appSession("a")
            try await store.openSample(session, refreshToken: "a")
            let state = try await open().refreshToken(digest: "refresh-a")
            try expectEqual(
                state,
                RefreshTokenState(
                    record: Sample.refreshToken("a", of: session), rotatedAt: nil, successorDigest: nil,
                    isSuccessorRotated: false, session: session), "the token")
            try expectEqual(try await store.refreshToken(digest: "nothing"), nil, "an unknown one")
        },
        ConformanceCase("of 50 concurrent rotations on two servers one counts, and all learn the successor") { open in
            let servers = [try await open(), try await open()]
            let session = Sample.appSession("a")
            try await servers[0].openSample(session, refreshToken: "a")
            let outcomes = try await concurrently(50) { number in
                try await servers[number % 2].rotate(
                    digest: "refresh-a", to: Sample.refreshToken("b", of: session), at: Sample.now,
                    event: Sample.event(.refreshTokenRotated))
            }
            try expectEqual(outcomes.count { $0 == .rotated }, 1, "winners")
            for case .rotatedBefore(let state) in outcomes {
                try expectEqual(state.successorDigest, "refresh-b", "the successor")
                try expectEqual(state.isSuccessorRotated, false, "the successor's own")
            }
            try expectEqual(outcomes.count { $0 == .gone }, 0, "lost")
            try expectEqual(try await servers[0].events(.refreshTokenRotated).count, 1, "events")
            _ = try await servers[1].rotate(
                digest: "refresh-b", to: Sample.refreshToken("c", of: session), at: Sample.now,
                event: Sample.event(.refreshTokenRotated))
            let parent = try await servers[0].refreshToken(digest: "refresh-a")
            try expectEqual(parent?.isSuccessorRotated, true, "the successor's successor")
        },
        ConformanceCase("a token whose session ended, or that expired, is neither rotated nor extended") { open in
            let store = try await open()
            for (name, at) in [("ended", Sample.now), ("expired", Sample.now + .seconds(1800))] {
                let session = Sample.appSession(name)
                try await store.openSample(session, refreshToken: name)
                if name == "ended" {
                    _ = try await store.end(.appSession(session.id), .sample())
                }
                let rotation = try await store.rotate(
                    digest: "refresh-\(name)", to: Sample.refreshToken("next-\(name)", of: session), at: at,
                    event: Sample.event(.refreshTokenRotated))
                try expectEqual(rotation, .gone, name)
                let isExtended = try await store.extendRefreshToken(
                    digest: "refresh-\(name)", until: at + .seconds(1), at: at,
                    event: Sample.event(.refreshTokenUsed))
                try expectEqual(isExtended, false, name)
                try expectEqual(try await store.refreshToken(digest: "refresh-next-\(name)"), nil, "a successor")
            }
            try expectEqual(try await store.events(.refreshTokenRotated).count, 0, "events")
        },
        ConformanceCase("an extension moves the idle end") { open in
            let store = try await open()
            try await store.openSample(Sample.appSession("a"), refreshToken: "a")
            let until = Sample.now + .seconds(3000)
            let isExtended = try await store.extendRefreshToken(
                digest: "refresh-a", until: until, at: Sample.now, event: Sample.event(.refreshTokenUsed))
            try expectEqual(isExtended, true, "extended")
            try expectEqual(try await open().refreshToken(digest: "refresh-a")?.record.expiresAt, until, "its end")
        },
        ConformanceCase("a token that was rotated is not extended: its successor stands in its place") { open in
            let store = try await open()
            let session = try await openRotatedSample(in: store)
            let isExtended = try await store.extendRefreshToken(
                digest: "refresh-a", until: Sample.now + .seconds(3000), at: Sample.now,
                event: Sample.event(.refreshTokenUsed))
            try expectEqual(isExtended, false, "extended")
            let end = try await store.refreshToken(digest: "refresh-a")?.record.expiresAt
            try expectEqual(end, session.expiresAt, "its end")
            try expectEqual(try await store.events(.refreshTokenUsed).count, 0, "events")
        },
        ConformanceCase("a token that was rotated is remembered as long as its session lives") { open in
            let store = try await open()
            let session = try await openRotatedSample(in: store)
            _ = try await store.purgeAppSessions(expiredBefore: Sample.now + .seconds(1801), limit: 10)
            try expectEqual(try await store.refreshToken(digest: "refresh-b"), nil, "one that nobody used")
            let again = try await store.rotate(
                digest: "refresh-a", to: Sample.refreshToken("c", of: session), at: Sample.now + .seconds(1801),
                event: Sample.event(.refreshTokenRotated))
            guard case .rotatedBefore(let state) = again else {
                throw ConformanceFailure(description: "a theft is not told any more: \(again)")
            }
            try expectEqual(state.successorDigest, "refresh-b", "its successor")
            _ = try await store.purgeAppSessions(expiredBefore: session.expiresAt + .seconds(1), limit: 10)
            try expectEqual(try await store.refreshToken(digest: "refresh-a"), nil, "after the session")
        },
        ConformanceCase("a revoked token is known until it is purged, with one event") { open in
            let store = try await open()
            try expectEqual(try await store.isRevoked("jti"), false, "before")
            for _ in 0..<2 {
                try await store.revokeToken(
                    "jti", until: Sample.now + .seconds(60), event: Sample.event(.accessTokenRevoked))
            }
            try expectEqual(try await open().isRevoked("jti"), true, "after")
            try expectEqual(try await store.events(.accessTokenRevoked).count, 1, "events")
            let purged = try await store.purgeRevokedTokens(expiredBefore: Sample.now + .seconds(61), limit: 10)
            try expectEqual(purged, 1, "purged")
            try expectEqual(try await store.isRevoked("jti"), false, "at last")
        },
    ]
}

/// Opens a session whose refresh token "a" has "b" as its successor.
private func openRotatedSample(in store: any BridgeStorage) async throws -> AppSession {
    let session = Sample.appSession("a")
    try await store.openSample(session, refreshToken: "a")
    let rotation = try await store.rotate(
        digest: "refresh-a", to: Sample.refreshToken("b", of: session), at: Sample.now,
        event: Sample.event(.refreshTokenRotated))
    try expectEqual(rotation, .rotated, "the rotation")
    return session
}
