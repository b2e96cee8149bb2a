import Bridge
import BridgeTestSupport
import Testing

@testable import SQLStorage

/// Where the writer is, and what that means for connections that lead elsewhere.
@Suite struct WrittenDatabaseTests {
    private let clock = SettableClock(Timestamp(milliseconds: 1_763_708_400_123))
    private let lines = LogLines()
    private let written: WrittenDatabase

    private static let first = LeaseSQL.Identity(text: "7000/00000001/5/16384")
    private static let second = LeaseSQL.Identity(text: "7000/00000002/5/16384")

    init() { written = WrittenDatabase(time: clock.source, logger: lines.logger) }

    private static func lease(epoch: Int64) -> [SQLValue] { [.text("n"), .integer(epoch), .integer(1000)] }

    @discardableResult
    private func stray() -> SQLError {
        written.noteStray(comparedWith: written.known?.number, connection: "drawbridge reader")
    }

    @Test func `before the writer has looked there is nothing to compare with`() throws {
        #expect(written.isCurrent(nil) && written.known == nil)
        try written.check()
    }

    @Test func `a connection is compared again only when the writer is found elsewhere`() throws {
        written.note(Self.first)
        let number = written.known?.number
        #expect(number != nil)
        written.note(Self.first)
        #expect(written.isCurrent(number))
        written.note(Self.second)
        #expect(!written.isCurrent(number) && written.known?.identity.text == Self.second.text)
    }

    @Test func `a database that does not know what was said of the lease is another one`() {
        written.note(Self.first, lease: Self.lease(epoch: 1))
        let number = written.known?.number
        written.note(Self.first, lease: Self.lease(epoch: 2), knewLease: true)
        #expect(written.isCurrent(number) && written.known?.lease == Self.lease(epoch: 2))
        written.note(Self.first, lease: Self.lease(epoch: 3), knewLease: false)
        #expect(!written.isCurrent(number) && written.known?.lease == Self.lease(epoch: 3))
    }

    @Test func `what is said of the lease makes no other database of it`() {
        written.note(Self.first, lease: Self.lease(epoch: 1))
        let number = written.known?.number
        written.noteLease(Self.lease(epoch: 2))
        #expect(written.isCurrent(number) && written.known?.lease == Self.lease(epoch: 2))
    }

    @Test func `a connection that led elsewhere counts for ten seconds`() throws {
        written.note(Self.second)
        let refusal = stray()
        #expect(refusal.kind == .unavailable && refusal.cause == .otherServer)
        clock.advance(.milliseconds(9999))
        let error = #expect(throws: StorageError.self) { try written.check() }
        #expect(error?.cause == .otherServer)
        clock.advance(.milliseconds(1))
        try written.check()
    }

    @Test func `who was at the new server before the writer was in the right place`() throws {
        written.note(Self.first)
        stray()
        written.note(Self.second)
        try written.check()
        try written.begin()
    }

    @Test func `a comparison with where the writer was before says nothing`() throws {
        written.note(Self.first)
        let number = written.known?.number
        written.note(Self.second)
        _ = written.noteStray(comparedWith: number, connection: "drawbridge reader")
        try written.check()
        try written.begin()
    }

    @Test func `right after one that led elsewhere no other is opened`() throws {
        written.note(Self.first)
        stray()
        let error = #expect(throws: SQLError.self) { try written.begin() }
        #expect(error?.cause == .otherServer)
        clock.advance(WrittenDatabase.pause)
        try written.begin()
        #expect(throws: SQLError.self) { try written.begin() }
    }

    @Test func `once one leads where it has to the others are opened`() throws {
        written.note(Self.first)
        stray()
        clock.advance(WrittenDatabase.pause)
        try written.begin()
        written.noteFound()
        try written.begin()
    }

    @Test func `for a connection that led elsewhere the writer is asked where it is`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        written.observeDoubt { asking.yield() }
        written.note(Self.first)
        stray()
        var questions = asked.makeAsyncIterator()
        #expect(await questions.next() != nil)
    }

    @Test(arguments: [false, true])
    func `the log has it once, and not when it was the writer that had to move`(moves: Bool) async throws {
        written.note(Self.first)
        stray()
        written.observeDoubt { [written] in if moves { written.note(Self.second) } }
        // Once it has moved nothing is elsewhere.
        for _ in 0..<(moves ? 1 : 2) { await written.doubt(because: "drawbridge reader")?.value }
        let told = lines.all.filter { $0.hasPrefix("error: a connection leads to another database server") }
        #expect(told.count == (moves ? 0 : 1) && told.allSatisfy { $0.hasSuffix("connection=drawbridge reader") })
    }

    @Test(arguments: [
        ("7000/00000001/5/16384", true), ("7000/00000002/5/16384", false), ("7000/0000000A/5/16384", false),
        ("7001/00000001/5/16384", false), ("7000/00000001/5/16999", false), ("run 1763708400123456/16384", false),
        ("", false),
    ])
    func `an earlier timeline of the server is told from another server`(text: String, isEarlier: Bool) {
        #expect(LeaseSQL.Identity(text: text).isEarlier(than: Self.second) == isEarlier)
    }
}
