import Bridge
import Crypto
import OAuth2
import SQLStorage

/// Look-ups in a database that `bench/large.sh` filled, and what a purge does to requests meanwhile.
struct LargeLookups: Sendable {
    let storage: any BridgeStorage
    let sessions: Int
    let subjects: Int
    let duration: Duration

    init(_ place: String, sessions: Int, subjects: Int, for duration: Duration) async throws {
        storage = try await PostgresStorage.open(
            try PostgresAddress(place), node: "bench", signer: UnsignedCheckpoints())
        self.sessions = sessions
        self.subjects = subjects
        self.duration = duration
    }

    func measure() async throws {
        let checks = try await Latencies.measure(callers: 8, for: duration) { _ in
            let secret = "secret-\(Int.random(in: 1...sessions))"
            let digest = Base64URL.encode(Array(SHA256.hash(data: Array(secret.utf8))))
            guard try await storage.session(secretDigest: digest) != nil else {
                throw StorageError.corrupt("a session that was filled in is not found")
            }
        }
        print("session by its secret, 8 callers: \(checks.perSecond(over: duration))/s, \(checks.summary)")
        let searches = try await Latencies.measure(callers: 4, for: duration) { _ in
            var filter = AuditFilter()
            filter.subject = Subject(rawValue: "user-\(Int.random(in: 1...subjects))")
            let page = try await storage.search(filter, before: nil, limit: 50)
            guard !page.records.isEmpty else { throw StorageError.corrupt("a user without events") }
        }
        print("last 50 events of a user, 4 callers: \(searches.perSecond(over: duration))/s, \(searches.summary)")
        try await redeem("issue and redeem, 16 callers")
        let purge = Task { try await purgeAll() }
        try await redeem("the same while a purge runs  ")
        let purged = try await purge.value
        print("purged meanwhile and after: \(purged.rows) rows in \(purged.seconds) s, \(purged.perSecond) rows/s")
        try await storage.close()
    }

    private func redeem(_ name: String) async throws {
        let times = try await Latencies.measure(callers: 16, for: duration) { _ in
            try await CommitRates.redeemOne(on: storage)
        }
        print("\(name): \(times.perSecond(over: duration))/s, \(times.summary)")
    }

    /// As the server purges: in batches, one after the other.
    private func purgeAll() async throws -> (rows: Int, seconds: Int, perSecond: Int) {
        let cutoff = TimeSource.system.now() - .seconds(3600)
        let started = ContinuousClock.now
        var rows = 0
        while case let count = try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: 500), count > 0 {
            rows += count
        }
        while case let count = try await storage.purgeSessions(expiredBefore: cutoff, limit: 500), count > 0 {
            rows += count
        }
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        return (rows, Int(seconds), Int(Double(rows) / seconds))
    }
}
