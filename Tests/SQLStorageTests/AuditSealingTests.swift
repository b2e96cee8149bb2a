import Bridge
import Dispatch
import OAuth2
import Testing

@testable import SQLStorage

@Suite struct AuditSealingTests {
    private static let size: Int64 = 8

    /// Events of users that come in turns, with everyday and rare types, some of them out of order by a little.
    static func events(_ count: Int, at now: Timestamp) -> [AuditEvent] {
        (0..<count).map { number in
            var event = AuditEvent(
                at: now + .milliseconds(number / 3 - (number % 5 == 0 ? 2 : 0)),
                type: number % 7 == 0 ? .loginTokenReplayed : .loginTokenIssued, outcome: .success,
                reason: number % 2 == 0 ? "even" : "odd", subject: Subject(rawValue: "user-\(number % 6)"),
                sessionID: SessionID(rawValue: "s\(number / 4)"), tokenID: TokenID(rawValue: "t\(number / 2)"))
            event.address = "192.0.2.\(number % 3)"
            return event
        }
    }

    private static let filters: [AuditFilter] = {
        let some: [(inout AuditFilter) -> Void] = [
            { $0.subject = "user-3" }, { $0.subject = "nobody" }, { $0.address = "192.0.2.1" }, { $0.tokenID = "t9" },
            { $0.sessionID = "s5" }, { $0.type = .loginTokenReplayed }, { $0.type = .loginTokenIssued },
            {
                $0.subject = "user-2"
                $0.reason = "odd"
            },
            {
                $0.address = "192.0.2.2"
                $0.type = .loginTokenReplayed
            },
            {
                $0.subject = "user-4"
                $0.network = NetworkPrefix("192.0.2.0/31")
            },
            {
                $0.subject = "user-0"
                $0.from = SetClock().now + .milliseconds(4)
                $0.to = SetClock().now + .milliseconds(11)
            },
        ]
        return some.map { set in
            var filter = AuditFilter()
            set(&filter)
            return filter
        }
    }()

    /// Every page of a search, as node and number.
    private static func places(
        _ filter: AuditFilter, _ storage: DurableStorage, patience: Duration = .seconds(60), limit: Int = 3
    ) async throws -> [String] {
        var search = AuditSearch(filter, dialect: storage.dialect)
        search.patience = patience
        var found: [String] = []
        var cursor: AuditCursor?
        var pages = 0
        repeat {
            let page = try await storage.read { [search, cursor] session in
                try search.page(before: cursor, limit: limit, in: session)
            }
            #expect(page.entries.count <= limit)
            found += page.records.map { "\($0.node) \($0.sequence)" }
            cursor = page.next
            pages += 1
        } while cursor != nil && pages < 1000
        #expect(pages < 1000)
        return found
    }

    private static func sealAll(_ storage: DurableStorage, at now: Timestamp) async throws {
        var steps = 0
        while try await storage.sealAudit(at: now, size: size), steps < 100 { steps += 1 }
        #expect(steps < 100)
    }

    /// What a plain look at all events gives.
    private static func expected(_ filter: AuditFilter, _ storage: DurableStorage) async throws -> [String] {
        var search = AuditSearch(filter, dialect: storage.dialect)
        // So that no index is asked.
        search.openLimit = -1
        search.patience = .seconds(60)
        return try await storage.read { [search] session in
            try search.page(before: nil, limit: 500, in: session).records.map { "\($0.node) \($0.sequence)" }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a search finds the same whatever is sealed`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            let one = try await store.open("one")
            let two = try await store.open("two")
            let events = Self.events(45, at: store.clock.now)
            try await one.append(Array(events[..<17]))
            try await two.append(Array(events[17..<30]))
            try await one.append(Array(events[30...]))
            let wanted = try await Self.filters.asyncMap { try await Self.expected($0, one) }
            #expect(wanted.count { !$0.isEmpty } >= 9)
            var sealed = 0
            repeat {
                for (filter, want) in zip(Self.filters, wanted) {
                    #expect(try await Self.places(filter, one) == want, "\(filter) with \(sealed) sealed")
                    #expect(try await Self.places(filter, one, patience: .zero) == want, "\(filter), impatient")
                }
                sealed += 1
            } while try await one.sealAudit(at: store.clock.now, size: Self.size)
            // 32 events of its own in whole segments; the other node has 13, and is thought to seal them itself.
            #expect(sealed == 5)
            try await Self.sealAll(two, at: store.clock.now)
            try await Self.sealAll(one, at: store.clock.now + .seconds(7200))
            #expect(
                try store.run("SELECT max(through) FROM audit_segment WHERE node = 'one' AND first_sequence = 25")
                    .map(\.values) == [[.integer(32)]])
            for (filter, want) in zip(Self.filters, wanted) { #expect(try await Self.places(filter, one) == want) }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `the end of a chain that stands still is sealed after an hour, and again when it went on`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            var filter = AuditFilter()
            filter.subject = "user-1"
            for round in 1...3 {
                try await storage.append(Self.events(3, at: store.clock.now))
                store.clock.advance(.seconds(3599))
                // The third time fills a segment, which does not wait.
                #expect(try await storage.sealAudit(at: store.clock.now, size: Self.size) == (round == 3))
                store.clock.advance(.seconds(1))
                try await Self.sealAll(storage, at: store.clock.now)
                let through = try store.run("SELECT max(through) FROM audit_segment").first?.values[0]
                #expect(through == .integer(Int64(round * 3)))
                #expect(try await Self.places(filter, storage).count == round)
            }
            #expect(
                try store.run("SELECT first_sequence, through FROM audit_segment ORDER BY 1").map(\.values)
                    == [[.integer(1), .integer(8)], [.integer(9), .integer(9)]])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `who comes late with less of a segment writes over nothing that was sealed further`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            let late = try await store.open("late")
            let events = Self.events(Int(Self.size), at: store.clock.now)
            try await storage.append(Array(events.prefix(3)))
            store.clock.advance(.seconds(7200))
            // Its three events are read, and their index waits for the writer.
            let gate = DispatchSemaphore(value: 0)
            late.engine.onWriter { _ in gate.wait() }
            async let sealing = late.sealAudit(at: store.clock.now, size: Self.size)
            while late.waitingWrites < 1 { await Task.yield() }
            try await storage.append(Array(events.dropFirst(3)))
            try await Self.sealAll(storage, at: store.clock.now)
            gate.signal()
            _ = try await sealing
            for filter in Self.filters {
                #expect(try await Self.places(filter, storage) == Self.expected(filter, storage), "\(filter)")
            }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a segment that was begun and not finished counts for nothing, and is made anew`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(20, at: store.clock.now))
            let wanted = try await Self.filters.asyncMap { try await Self.expected($0, storage) }
            try await Self.sealAll(storage, at: store.clock.now)
            let whole = try store.run(
                "SELECT node, first_sequence, field, bucket, entries FROM audit_index ORDER BY 1, 2, 3, 4")
            // As a crash leaves it: some of the pieces, and nothing that says that they count.
            try store.run("DELETE FROM audit_segment WHERE first_sequence = 9")
            try store.run("DELETE FROM audit_index WHERE first_sequence = 9 AND field > 2")
            try store.run("UPDATE audit_index SET entries = 'AAAAAAAA' WHERE first_sequence = 9")
            for (filter, want) in zip(Self.filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
            let again = try await store.open("other")
            try await again.append(Self.events(1, at: store.clock.now))
            try await Self.sealAll(storage, at: store.clock.now)
            #expect(
                try store.run(
                    "SELECT node, first_sequence, field, bucket, entries FROM audit_index ORDER BY 1, 2, 3, 4")
                    == whole)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `without any segment the index is made again, and without an index nothing is found that is not there`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(40, at: store.clock.now))
            let wanted = try await Self.filters.asyncMap { try await Self.expected($0, storage) }
            try await Self.sealAll(storage, at: store.clock.now)
            try store.run("DELETE FROM audit_segment")
            for (filter, want) in zip(Self.filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
            try await Self.sealAll(storage, at: store.clock.now)
            #expect(try store.run("SELECT count(*) FROM audit_segment").map(\.values) == [[.integer(5)]])
            for (filter, want) in zip(Self.filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
            // Somebody swaps what two users' events are called: neither gets the other's.
            try store.run("UPDATE audit_index SET entries = (SELECT max(entries) FROM audit_index)")
            for (filter, want) in zip(Self.filters, wanted) {
                let found = try await Self.places(filter, storage)
                #expect(Set(found).isSubset(of: want))
            }
            #expect(try await store.verify(storage).problems.isEmpty)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a segment that is missing among others hides nothing, and is made again`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(40, at: store.clock.now))
            let wanted = try await Self.filters.asyncMap { try await Self.expected($0, storage) }
            try await Self.sealAll(storage, at: store.clock.now)
            for missing in ["first_sequence = 17", "first_sequence < 17", "first_sequence IN (1, 25)"] {
                // Their pieces too, as when a node was killed that had the index made again.
                try store.run(SQLStatement("DELETE FROM audit_segment WHERE \(missing)"))
                try store.run(SQLStatement("DELETE FROM audit_index WHERE \(missing)"))
                for (filter, want) in zip(Self.filters, wanted) {
                    #expect(try await Self.places(filter, storage) == want, "\(filter) without \(missing)")
                }
                try await Self.sealAll(storage, at: store.clock.now)
                #expect(try store.run("SELECT count(*) FROM audit_segment").map(\.values) == [[.integer(5)]])
                for (filter, want) in zip(Self.filters, wanted) {
                    #expect(try await Self.places(filter, storage) == want)
                }
            }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `events that somebody took out of the middle do not hold up the segments after them`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(40, at: store.clock.now))
            try store.run("DELETE FROM audit_event WHERE sequence >= 9 AND sequence <= 16")
            try store.run("DELETE FROM audit_event WHERE sequence = 3")
            let wanted = try await Self.filters.asyncMap { try await Self.expected($0, storage) }
            try await Self.sealAll(storage, at: store.clock.now)
            #expect(
                try store.run("SELECT first_sequence FROM audit_segment ORDER BY 1").map(\.values)
                    == [[.integer(1)], [.integer(17)], [.integer(25)], [.integer(33)]])
            for (filter, want) in zip(Self.filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `names that only look alike are two, of users and of nodes`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            let composed = "jos\u{E9}"
            let decomposed = "jose\u{301}"
            let storage = try await store.open("n")
            var events = Self.events(16, at: store.clock.now)
            for number in events.indices {
                events[number].subject = Subject(rawValue: number.isMultiple(of: 2) ? composed : decomposed)
            }
            try await storage.append(events)
            try await Self.sealAll(storage, at: store.clock.now)
            for name in [composed, decomposed] {
                var filter = AuditFilter()
                filter.subject = Subject(rawValue: name)
                #expect(try await Self.places(filter, storage).count == 8)
            }
            // Nodes of such names are somebody else's work.
            for (number, name) in [composed, decomposed].enumerated() {
                try store.run(SQLStatement("UPDATE audit_event SET node = '\(name)' WHERE sequence = \(number + 1)"))
            }
            for filter in Self.filters { _ = try await Self.places(filter, storage) }
        }
    }

    @Test(arguments: AuditStore.engines)
    func `segments of events that somebody took away at the end are dropped`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(24, at: store.clock.now))
            try await Self.sealAll(storage, at: store.clock.now)
            try await storage.close()
            try store.run("DELETE FROM audit_event WHERE sequence > 10")
            let next = try await store.open("n")
            try await next.append(Self.events(3, at: store.clock.now))
            try await Self.sealAll(next, at: store.clock.now)
            var filter = AuditFilter()
            filter.subject = "user-1"
            #expect(try await Self.places(filter, next) == Self.expected(filter, next))
            #expect(try store.run("SELECT max(through) FROM audit_segment").map(\.values) == [[.integer(8)]])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `whatever somebody writes into the index, searches go on and it is made again`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            let storage = try await store.open("n")
            try await storage.append(Self.events(20, at: store.clock.now))
            try await Self.sealAll(storage, at: store.clock.now)
            var values = ["-1", "0", "9223372036854775807", "-9223372036854775808"]
            if engine == .sqlite { values += ["'nonsense'", "x'00ff'", "5.5", "1e300"] }
            for column in ["first_sequence", "through", "oldest_at", "newest_at"] {
                for value in values {
                    try store.run(
                        SQLStatement("UPDATE audit_segment SET \(column) = \(value) WHERE first_sequence = 9"))
                    for filter in Self.filters { _ = try await Self.places(filter, storage) }
                    try await Self.sealAll(storage, at: store.clock.now)
                    for filter in Self.filters { _ = try await Self.places(filter, storage) }
                    try store.run("DELETE FROM audit_segment")
                    try await Self.sealAll(storage, at: store.clock.now)
                }
            }
            try store.run("UPDATE audit_index SET entries = 'what? is this'")
            for filter in Self.filters { _ = try await Self.places(filter, storage) }
            #expect(try await store.verify(storage).problems.isEmpty)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `retention takes the segments along whose events are gone`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<3 {
                try await store.live("n", events: 10)
                store.clock.advance(.seconds(86_400))
            }
            let storage = try await store.open("n")
            try await Self.sealAll(storage, at: store.clock.now)
            #expect(try await storage.purgeAudit(olderThan: .seconds(86_400), at: store.clock.now).removed == 20)
            let left: SQLStatement = "SELECT DISTINCT first_sequence FROM audit_segment ORDER BY 1"
            #expect(try store.run(left).map(\.values) == [[.integer(17)], [.integer(25)]])
            let pieces: SQLStatement = "SELECT DISTINCT first_sequence FROM audit_index ORDER BY 1"
            #expect(try store.run(pieces).map(\.values) == [[.integer(17)], [.integer(25)]])
            var filter = AuditFilter()
            filter.subject = "alice"
            #expect(try await Self.places(filter, storage).count == 10)
            #expect(try await store.verify(storage).isValid)
        }
    }

    @Test func `a disk with no room for an index has room for the events beside it, and they are found`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n")
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            try await storage.append(Self.events(2048, at: now))
            let pages = try #require(try storage.onWriter("PRAGMA page_count").first?.integer(0))
            try storage.onWriter(SQLStatement("PRAGMA max_page_count = \(pages + 4)"))
            // Both wait for the same commit.
            let gate = DispatchSemaphore(value: 0)
            storage.engine.onWriter { _ in gate.wait() }
            async let sealing = storage.sealAudit(at: now, size: 2048)
            while storage.waitingWrites < 1 { await Task.yield() }
            async let appending: Void = storage.append(Self.events(4, at: now))
            while storage.waitingWrites < 2 { await Task.yield() }
            gate.signal()
            try await appending
            do {
                _ = try await sealing
                Issue.record("there was room for the index")
            } catch is StorageError {}
            #expect(try storage.onWriter("SELECT count(*) FROM audit_event").map(\.values) == [[.integer(2052)]])
            #expect(try storage.onWriter("SELECT count(*) FROM audit_index").map(\.values) == [[.integer(0)]])
            let filters = Self.filters.filter { $0.subject != nil || $0.tokenID != nil }
            let wanted = try await filters.asyncMap { try await Self.expected($0, storage) }
            #expect(wanted.contains { $0.contains("n 2052") })
            for (filter, want) in zip(filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
            try storage.onWriter("PRAGMA max_page_count = 1073741823")
            #expect(try await storage.sealAudit(at: now, size: 2048))
            for (filter, want) in zip(filters, wanted) { #expect(try await Self.places(filter, storage) == want) }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
