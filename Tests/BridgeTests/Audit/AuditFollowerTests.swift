import Bridge
import OAuth2
import Testing

@Suite struct AuditFollowerTests {
    private func write(_ subjects: [Subject], to service: Service) async throws {
        for subject in subjects {
            try await service.storage.append([
                AuditEvent(at: service.clock.now, type: .userSignedIn, outcome: .success, subject: subject)
            ])
            service.clock.advance(.seconds(1))
        }
    }

    @Test func `what is written comes once, in order`() async throws {
        try await withService { service in
            try await write(["before"], to: service)
            var follower = AuditFollower(
                log: service.storage, position: try await AuditPosition.end(of: service.storage))
            #expect(try await follower.next().isEmpty)
            try await write(["a", "b"], to: service)
            #expect(try await follower.next().map(\.value?.event.subject) == ["a", "b"])
            try await write(["c"], to: service)
            #expect(try await follower.next().map(\.value?.event.subject) == ["c"])
            #expect(try await follower.next().isEmpty)
        }
    }

    @Test func `from a position everything behind it is read, also by another follower`() async throws {
        try await withService { service in
            try await write(["a", "b"], to: service)
            var first = AuditFollower(log: service.storage, position: AuditPosition([]))
            #expect(try await first.next().map(\.value?.event.subject) == ["a", "b"])
            try await write(["c"], to: service)
            var second = AuditFollower(log: service.storage, position: first.position)
            #expect(try await second.next().map(\.value?.event.subject) == ["c"])
        }
    }

    /// A chain with an event in each of these seconds.
    private func chain(_ node: String, _ seconds: [Int64]) -> [AuditRecord] {
        var records: [AuditRecord] = []
        for (index, second) in seconds.enumerated() {
            let event = AuditEvent(
                at: AuditFixture.start + .seconds(second), type: .userSignedIn, outcome: .success)
            records.append(
                AuditRecord(
                    chaining: event, node: node, sequence: Int64(index) + 1,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    @Test func `what a node wrote comes in the order of its chain, though its clock was set back`() async throws {
        let log = FixedAuditLog(chain("a", [0, 90, 30]) + chain("b", [10, 95]))
        var follower = AuditFollower(log: log, position: AuditPosition([]))
        let read = try await follower.next()
        #expect(read.map(\.id) == ["a-1", "b-1", "a-2", "a-3", "b-2"])
    }

    @Test func `after an event's own id nothing is missed, and of other nodes a minute may come twice`() async throws {
        let here = chain("node-1", [0, 500, 1000])
        let elsewhere = chain("b", [0, 100, 200, 300, 430, 450, 490, 600])
        let log = FixedAuditLog(here + elsewhere + chain("idle", [3, 4]) + chain("late", [900]))
        let position = try await AuditPosition.after("node-1-2", in: log)
        #expect(position?.sequences == ["node-1": 2, "b": 5, "idle": 2, "late": 0])
        for unknown in ["node-1-4", "node-2-1", "node-1", "-1", "node-1-x"] {
            let none = try await AuditPosition.after(unknown, in: log)
            #expect(none == nil)
        }
    }

    @Test func `after the id of an event that retention has removed, all that is left comes`() async throws {
        let log = FixedAuditLog(Array(chain("a", [0, 100, 200]).dropFirst(2)) + chain("b", [0, 300]).dropFirst())
        let removed = try await AuditPosition.after("a-1", in: log)
        #expect(removed?.sequences == ["a": 1])
        let kept = try await AuditPosition.after("a-3", in: log)
        #expect(kept?.sequences == ["a": 3, "b": 0])
    }
}
