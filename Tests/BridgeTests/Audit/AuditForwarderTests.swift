import Bridge
import Synchronization
import Testing

/// A receiver that takes so many deliveries and is lost then.
private final class ScriptedReceiver: AuditForwardConnection {
    let settling: Duration
    private let limit: Int
    private let taken = Mutex<[AuditForwardItem]>([])
    private let deliveries = Mutex(0)

    init(settling: Duration = .zero, losingAfter limit: Int = .max) {
        self.settling = settling
        self.limit = limit
    }

    struct Lost: Error {}

    var items: [AuditForwardItem] { taken.withLock { $0 } }

    var records: [AuditRecord] {
        items.compactMap { if case .entry(let entry) = $0 { entry.value } else { nil } }
    }

    func deliver(_ items: [AuditForwardItem]) throws {
        let number = deliveries.withLock { count in
            count += 1
            return count
        }
        guard number <= limit else { throw Lost() }
        taken.withLock { $0 += items }
    }

    func check() {}
    func close() {}
}

/// Cursors in memory.
private final class CursorMemory: AuditForwardCursors {
    private let positions = Mutex<[String: AuditForwardPosition]>([:])
    /// The node whose place cannot be noted.
    private let refused = Mutex<String?>(nil)

    var sequences: [String: Int64] { positions.withLock { $0.mapValues(\.sequence) } }

    func forwardedPositions(to target: String) -> [String: AuditForwardPosition] { positions.withLock { $0 } }

    func noteForwarded(
        to target: String, node: String, through position: AuditForwardPosition, at now: Timestamp
    ) throws {
        if refused.withLock({ $0 == node }) { throw StorageError.unavailable("no place for this node") }
        positions.withLock { $0[node] = position.joined(with: $0[node] ?? AuditForwardPosition()) }
    }

    func refuse(_ node: String?) { refused.withLock { $0 = node } }

    /// What the database has after it was restored.
    func goBack(to sequences: [String: Int64]) {
        positions.withLock { $0 = sequences.mapValues { AuditForwardPosition(sequence: $0) } }
    }
}

/// A clock that a test sets.
private final class SetClock: Sendable {
    private let offset = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { start + offset.withLock { $0 } }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

/// A log that grows between the first reading and all others.
private final class GrowingAuditLog: AuditLog {
    private let before: FixedAuditLog
    private let after: FixedAuditLog
    private let isRead = Mutex(false)

    init(_ before: FixedAuditLog, then after: FixedAuditLog) {
        self.before = before
        self.after = after
    }

    private var current: FixedAuditLog {
        isRead.withLock { isRead in
            defer { isRead = true }
            return isRead ? after : before
        }
    }

    func append(_ events: [AuditEvent]) throws { try after.append(events) }
    func chains() -> [AuditChainHead] { after.chains() }
    func strays(limit: Int) async throws -> [AuditDamage] { try await after.strays(limit: limit) }
    func checkpoints() -> [AuditReading<AuditCheckpoint>] { after.checkpoints() }
    func cuts() -> [AuditReading<AuditCut>] { after.cuts() }
    func hashes(of node: String, at sequences: [Int64]) -> [Int64: String] { after.hashes(of: node, at: sequences) }

    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) -> AuditPage {
        after.search(filter, before: cursor, limit: limit)
    }

    func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) -> [AuditEntry] {
        current.entries(of: node, in: range, limit: limit)
    }

    func notes(of node: String, after position: AuditNotePosition, limit: Int) -> [AuditNote] {
        current.notes(of: node, after: position, limit: limit)
    }
}

/// A log whose database is restored.
final class RestoredAuditLog: AuditLog {
    private let log: Mutex<FixedAuditLog>

    init(_ records: [AuditRecord]) { log = Mutex(FixedAuditLog(records)) }

    private var current: FixedAuditLog { log.withLock { $0 } }

    func holdNow(_ records: [AuditRecord]) { log.withLock { $0 = FixedAuditLog(records) } }

    func append(_ events: [AuditEvent]) throws { try current.append(events) }
    func chains() -> [AuditChainHead] { current.chains() }
    func strays(limit: Int) async throws -> [AuditDamage] { try await current.strays(limit: limit) }
    func checkpoints() -> [AuditReading<AuditCheckpoint>] { current.checkpoints() }
    func cuts() -> [AuditReading<AuditCut>] { current.cuts() }
    func hashes(of node: String, at sequences: [Int64]) -> [Int64: String] { current.hashes(of: node, at: sequences) }

    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) -> AuditPage {
        current.search(filter, before: cursor, limit: limit)
    }

    func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) -> [AuditEntry] {
        current.entries(of: node, in: range, limit: limit)
    }

    func notes(of node: String, after position: AuditNotePosition, limit: Int) -> [AuditNote] {
        current.notes(of: node, after: position, limit: limit)
    }
}

@Suite struct AuditForwarderTests {
    private let chain = AuditFixture.chain(450)
    private let beside = AuditFixture.chain(3, node: "a-cli")
    private let cursors = CursorMemory()
    private let status = AuditForwardStatus(target: "siem")
    private let clock = SetClock()

    private func forwarder(
        _ records: [AuditRecord], start: AuditForwarder.Start = .beginning
    ) -> AuditForwarder {
        forwarder(over: FixedAuditLog(records), of: ["a", "a-cli"], start: start)
    }

    private func forwarder(
        over log: any AuditLog, of nodes: [String] = ["a"], start: AuditForwarder.Start = .beginning
    ) -> AuditForwarder {
        AuditForwarder(
            nodes: nodes, start: start, log: log, cursors: cursors, status: status,
            time: TimeSource({ noon }, uptime: { [clock] in clock.now }))
    }

    @Test func `every event of the node and of commands beside it comes once, in order`() async throws {
        let receiver = ScriptedReceiver()
        try await forwarder(chain + beside + AuditFixture.chain(5, node: "b")).forward(over: receiver) { false }
        #expect(receiver.records.filter { $0.node == "a" } == chain)
        #expect(receiver.records.filter { $0.node == "a-cli" } == beside)
        #expect(receiver.records.count == 453)
        #expect(cursors.sequences == ["a": 450, "a-cli": 3])
        #expect(status.current.delivered == 453)
        #expect(try await forwarder(chain + beside).lag() == 0)
    }

    @Test func `a lost connection loses nothing`() async throws {
        let first = ScriptedReceiver(losingAfter: 2)
        await #expect(throws: ScriptedReceiver.Lost.self) {
            try await forwarder(chain).forward(over: first) { false }
        }
        let second = ScriptedReceiver()
        try await forwarder(chain).forward(over: second) { false }
        #expect(Set(first.records + second.records) == Set(chain))
        #expect(second.records == chain.suffix(second.records.count))
    }

    @Test func `what has not settled when a connection is lost is sent again`() async throws {
        let first = ScriptedReceiver(settling: .seconds(5), losingAfter: 1)
        await #expect(throws: ScriptedReceiver.Lost.self) {
            try await forwarder(chain).forward(over: first) { false }
        }
        #expect(first.records.count == AuditForwarder.batchSize)
        #expect(cursors.sequences.isEmpty)
        let second = ScriptedReceiver()
        try await forwarder(chain).forward(over: second) { false }
        #expect(second.records == chain)
    }

    @Test func `what was delivered counts once it has settled`() async throws {
        let receiver = ScriptedReceiver(settling: .seconds(5))
        let pauses = Mutex(0)
        try await forwarder(chain).forward(over: receiver) { [clock, cursors] in
            clock.advance(by: .seconds(3))
            return pauses.withLock { pauses in
                pauses += 1
                #expect(cursors.sequences == (pauses < 3 ? [:] : ["a": 450]))
                return pauses < 3
            }
        }
    }

    /// The chain's first six events, and others than the chain's after them.
    private func other(_ count: Int64) -> [AuditRecord] {
        var records = Array(chain.prefix(6))
        for sequence in 7..<7 + count {
            records.append(
                AuditRecord(
                    chaining: AuditFixture.event(sequence, detail: "{}"), node: "a", sequence: sequence,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    @Test(arguments: [2, 4, 9] as [Int64])
    func `what is written after the database went back is sent, as far as the chain may have come again`(
        _ count: Int64
    ) async throws {
        let log = RestoredAuditLog(Array(chain.prefix(10)))
        let other = other(count)
        let receiver = ScriptedReceiver()
        let pauses = Mutex(0)
        try await forwarder(over: log).forward(over: receiver) { [cursors] in
            pauses.withLock { pauses in
                pauses += 1
                guard pauses == 1 else { return false }
                cursors.goBack(to: ["a": 5])
                log.holdNow(other)
                return true
            }
        }
        #expect(receiver.records == Array(chain.prefix(10)) + other.dropFirst(5))
        #expect(cursors.sequences == ["a": 6 + count])
    }

    @Test func `what was sent before the database went back does not count as delivered after it`() async throws {
        let log = RestoredAuditLog(Array(chain.prefix(10)))
        let other = other(9)
        let pauses = Mutex(0)
        try await forwarder(over: log).forward(over: ScriptedReceiver(settling: .seconds(5))) { [cursors, clock] in
            clock.advance(by: .seconds(6))
            return pauses.withLock { pauses in
                pauses += 1
                if pauses == 1 { log.holdNow(other) }
                #expect(cursors.sequences == [:])
                return pauses < 2
            }
        }
    }

    @Test func `a target can begin with what comes next`() async throws {
        let receiver = ScriptedReceiver()
        try await forwarder(Array(chain.prefix(10)), start: .now).forward(over: receiver) { false }
        #expect(receiver.records.isEmpty)
        try await forwarder(Array(chain.prefix(12)), start: .now).forward(over: receiver) { false }
        #expect(receiver.records == Array(chain[10..<12]))
    }

    @Test func `of several nodes each begins with what comes next, whichever is first`() async throws {
        let log = FixedAuditLog(Array(chain.prefix(10)) + AuditFixture.chain(5, node: "b"))
        let receiver = ScriptedReceiver()
        for node in ["a", "b"] {
            try await forwarder(over: log, of: [node], start: .now).forward(over: receiver) { false }
        }
        #expect(receiver.records.isEmpty)
        #expect(cursors.sequences == ["a": 10, "b": 5])
    }

    @Test func `what is written while a new target is away is sent when it comes`() async throws {
        try await forwarder(Array(chain.prefix(10)), start: .now).begin()
        let receiver = ScriptedReceiver()
        try await forwarder(Array(chain.prefix(12)), start: .now).forward(over: receiver) { false }
        #expect(receiver.records == Array(chain[10..<12]))
    }

    @Test func `a database that went back to before the first place gets the whole log sent, whenever that is noticed`()
        async throws
    {
        let forwarder = forwarder(Array(chain.prefix(10)), start: .now)
        try await forwarder.begin()
        cursors.goBack(to: [:])
        try await forwarder.begin()
        let receiver = ScriptedReceiver()
        try await forwarder.forward(over: receiver) { false }
        #expect(receiver.records == Array(chain.prefix(10)))
    }

    @Test(arguments: ["a", "a-cli"])
    func `a new target whose beginning was noted for one chain alone gets nothing of before`(refused: String)
        async throws
    {
        let nodes = ["a", "a-cli"]
        let log = FixedAuditLog(Array(chain.prefix(10)) + AuditFixture.chain(5, node: "a-cli"))
        cursors.refuse(refused)
        await #expect(throws: StorageError.self) { try await forwarder(over: log, of: nodes, start: .now).begin() }
        cursors.refuse(nil)
        let receiver = ScriptedReceiver()
        try await forwarder(over: log, of: nodes, start: .now).forward(over: receiver) { false }
        #expect(receiver.records.isEmpty)
        #expect(cursors.sequences == ["a": 10, "a-cli": 5])
    }

    @Test func `the first events of a new chain are not skipped when their connection is lost`() async throws {
        try await forwarder([], start: .now).begin()
        let log = FixedAuditLog(Array(chain.prefix(2)))
        await #expect(throws: ScriptedReceiver.Lost.self) {
            try await forwarder(over: log, start: .now).forward(over: ScriptedReceiver(losingAfter: 0)) { false }
        }
        let second = ScriptedReceiver()
        try await forwarder(over: log, start: .now).forward(over: second) { false }
        #expect(second.records == Array(chain.prefix(2)))
    }

    @Test func `a row that somebody put far after the end is not taken for the end`() async throws {
        let far = AuditRecord(
            chaining: AuditFixture.event(99), node: "a", sequence: AuditRecord.sequences.upperBound,
            previousHash: AuditRecord.genesis)
        let log = FixedAuditLog(
            Array(chain.prefix(10)) + [far], heads: [AuditChainHead(node: "a", sequence: 10, hash: chain[9].hash)])
        let receiver = ScriptedReceiver()
        try await forwarder(over: log).forward(over: receiver) { false }
        #expect(receiver.records == Array(chain.prefix(10)))
        #expect(status.current.lost == 0)
    }

    @Test func `the sum of chains that somebody made up ends nothing`() {
        let heads = (0..<4096).map { AuditChainHead(node: "\($0)", sequence: 1 << 51, hash: "") }
        #expect(heads.eventTotal == .max && heads.prefix(2).eventTotal == 1 << 52)
    }

    @Test func `events that retention took are counted as lost`() async throws {
        let receiver = ScriptedReceiver()
        try await forwarder(Array(chain.dropFirst(40))).forward(over: receiver) { false }
        #expect(receiver.records.first?.sequence == 41)
        #expect(status.current.lost == 40)
    }

    @Test func `what a node has signed follows the events that it is about, once`() async throws {
        let key = try AuditFixture.key()
        let checkpoints = try [3, 200, 450].map { try AuditFixture.checkpoint(chain, at: $0, by: key) }
        let cut = try AuditFixture.cut(chain, through: 200, by: key)
        let log = FixedAuditLog(chain, checkpoints: checkpoints, cuts: [cut])
        let receiver = ScriptedReceiver()
        try await forwarder(over: log).forward(over: receiver) { false }
        let notes = receiver.items.compactMap { if case .note(let note) = $0 { note } else { nil } }
        #expect(
            notes == [
                .checkpoint(checkpoints[0]), .checkpoint(checkpoints[1]), .cut(cut), .checkpoint(checkpoints[2]),
            ])
        for (index, item) in receiver.items.enumerated() {
            guard case .note(let note) = item else { continue }
            let before = receiver.items[..<index].compactMap {
                if case .entry(let entry) = $0 { entry.sequence } else { nil }
            }
            #expect(before.max() ?? 0 >= note.sequence)
        }
        let again = ScriptedReceiver()
        try await forwarder(over: log).forward(over: again) { false }
        #expect(again.items == [])
    }

    @Test func `what a node signs while it is read follows the events that it is about`() async throws {
        let checkpoint = try AuditFixture.checkpoint(chain, at: 5, by: try AuditFixture.key())
        let log = GrowingAuditLog(
            FixedAuditLog(Array(chain.prefix(3))),
            then: FixedAuditLog(Array(chain.prefix(5)), checkpoints: [checkpoint]))
        let receiver = ScriptedReceiver()
        try await forwarder(over: log).forward(over: receiver) { false }
        let events = chain.prefix(5).map { AuditForwardItem.entry(.intact($0)) }
        #expect(receiver.items == events + [.note(.checkpoint(checkpoint))])
    }

    @Test func `an event that cannot be read is forwarded as such, and holds up nothing`() async throws {
        let damage = AuditDamage(.event, node: "a", sequence: 2, field: "outcome")
        let entries = chain.prefix(4).map { $0.sequence == 2 ? AuditEntry.damaged(damage) : .intact($0) }
        let receiver = ScriptedReceiver()
        try await forwarder(over: FixedAuditLog(entries: entries)).forward(over: receiver) { false }
        #expect(receiver.items == entries.map(AuditForwardItem.entry))
    }
}
