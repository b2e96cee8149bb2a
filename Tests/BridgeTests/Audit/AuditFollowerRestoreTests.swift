import Bridge
import OAuth2
import Testing

/// Followers of a log whose database was put back: of forty events that they have read, twenty-eight are left.
@Suite struct AuditFollowerRestoreTests {
    private let old = AuditFixture.chain(40)
    private let log: RestoredAuditLog

    init() { log = RestoredAuditLog(old) }

    /// The first events of a chain, and others in the place of those that followed.
    private func chain(_ chain: [AuditRecord], upTo end: Int, then others: Int64) -> [AuditRecord] {
        var records = Array(chain.prefix(end))
        for number in 0..<others {
            records.append(
                AuditRecord(
                    chaining: AuditFixture.event(100_000 + number), node: "a", sequence: Int64(records.count) + 1,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    private func follower() async throws -> AuditFollower {
        var follower = AuditFollower(log: log, position: AuditPosition([]))
        let read = try await follower.next()
        try #require(read.count == 40)
        return follower
    }

    @Test func `who has read more than there is left hears of what is written next`() async throws {
        var follower = try await follower()
        log.holdNow(chain(old, upTo: 28, then: 0))
        _ = try await follower.next()
        let now = chain(old, upTo: 28, then: 5)
        log.holdNow(now)
        let new = try await follower.next()
        #expect(new == now.suffix(5).map(AuditEntry.intact))
    }

    @Test(arguments: [12, 30])
    func `a chain that has as many events again, or more, is told from the one that was read`(
        others: Int64
    ) async throws {
        var follower = try await follower()
        let now = chain(old, upTo: 28, then: others)
        log.holdNow(now)
        let read = try await follower.next()
        #expect(read.suffix(Int(others)) == now.suffix(Int(others)).map(AuditEntry.intact)[...])
        let more = try await follower.next()
        #expect(more.isEmpty)
    }

    @Test(arguments: [5, 12, 30])
    func `a position that was handed out before brings all that came since`(others: Int64) async throws {
        let text = try await follower().position.text
        let now = chain(old, upTo: 28, then: others)
        log.holdNow(now)
        let position = try await #require(AuditPosition(text)).marked(in: log)
        var follower = AuditFollower(log: log, position: position)
        let read = try await follower.next()
        #expect(read.suffix(Int(others)) == now.suffix(Int(others)).map(AuditEntry.intact)[...])
    }

    @Test func `a position without marks, after the end, begins with what there is`() async throws {
        log.holdNow(chain(old, upTo: 28, then: 0))
        let position = try await #require(AuditPosition("a~40")).marked(in: log)
        var follower = AuditFollower(log: log, position: position)
        let read = try await follower.next()
        #expect(read.map(\.sequence) == Array(1...28))
    }

    @Test func `a position without marks, in a chain that goes on, has nothing repeated and gets them`() async throws {
        let position = try await #require(AuditPosition("a~38")).marked(in: log)
        var follower = AuditFollower(log: log, position: position)
        log.holdNow(chain(old, upTo: 28, then: 30))
        let read = try await follower.next()
        #expect(read.suffix(30).map(\.sequence) == Array(29...58))
        log.holdNow(old)
        var again = AuditFollower(log: log, position: position)
        let rest = try await again.next()
        #expect(rest.map(\.sequence) == [39, 40])
    }

    @Test func `of a long chain only what follows the last thousand in common is repeated`() async throws {
        let long = AuditFixture.chain(2100, detail: nil)
        log.holdNow(long)
        var fromTheEnd = AuditFollower(log: log, position: try await AuditPosition.end(of: log))
        var fromTheBeginning = AuditFollower(log: log, position: AuditPosition([]))
        _ = try await fromTheBeginning.next()
        #expect(fromTheBeginning.position == fromTheEnd.position)
        log.holdNow(chain(long, upTo: 2080, then: 60))
        for read in try await [fromTheEnd.next(), fromTheBeginning.next()] {
            #expect(read.map(\.sequence) == Array(2049...2140))
        }
        log.holdNow(chain(long, upTo: 1500, then: 700))
        for read in try await [fromTheEnd.next(), fromTheBeginning.next()] {
            #expect(read.map(\.sequence) == Array(1...2200))
        }
    }

    @Test func `an event whose hash cannot be read is not taken for another's`() async throws {
        let unreadable = AuditDamage(.event, node: "a", sequence: 40, field: "hash")
        let entries = old.prefix(39).map(AuditEntry.intact) + [.damaged(unreadable)]
        var follower = AuditFollower(log: FixedAuditLog(entries: entries), position: AuditPosition([]))
        _ = try await follower.next()
        let more = try await follower.next()
        #expect(more.isEmpty)
    }
}
