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
            var follower = AuditFollower(log: service.storage, heads: try await service.storage.chains())
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
            var first = AuditFollower(log: service.storage, heads: [])
            #expect(try await first.next().map(\.value?.event.subject) == ["a", "b"])
            try await write(["c"], to: service)
            var second = AuditFollower(log: service.storage, position: first.position)
            #expect(try await second.next().map(\.value?.event.subject) == ["c"])
        }
    }
}
