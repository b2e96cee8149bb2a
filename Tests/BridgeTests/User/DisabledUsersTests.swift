import BridgeTestSupport
import StorageConformance
import Testing

@testable import Bridge

/// Contract §7: a disabled user is refused by every node within a second.
@Suite struct DisabledUsersTests {
    /// What another node does: nothing of it is told here.
    private func set(_ isDisabled: Bool, _ subject: Subject, _ service: Service) async throws {
        try await service.storage.change(subject, UserChange(isDisabled: isDisabled), ending: .sample(at: noon))
    }

    private func withSubjects(
        limit: Int = DisabledUsers.limit, _ body: (Subjects, Service) async throws -> Void
    ) async throws {
        try await withService { service async throws in
            for subject in ["alice", "bob", "carol"] as [Subject] {
                try await service.storage.addUser(subject, at: noon)
            }
            try await body(
                Subjects(store: service.storage, time: service.clock.source, disabledUsersLimit: limit), service)
        }
    }

    @Test func `whoever is not on a fresh list is not asked about, for a second and no longer`() async throws {
        try await withSubjects { subjects, service in
            try await subjects.disabledUsers.refresh()
            try await set(true, "alice", service)
            service.clock.advance(.seconds(1))
            #expect(try await !subjects.isDisabled("alice"))
            service.clock.advance(.milliseconds(1))
            #expect(try await subjects.isDisabled("alice"))
        }
    }

    @Test func `the next reading of the list finds whom another node disabled`() async throws {
        try await withSubjects { subjects, service in
            try await subjects.disabledUsers.refresh()
            try await set(true, "alice", service)
            try await subjects.disabledUsers.refresh()
            #expect(try await subjects.isDisabled("alice"))
            #expect(try await !subjects.isDisabled("bob"))
        }
    }

    @Test func `whoever is on the list is asked about, and may be enabled by now`() async throws {
        try await withSubjects { subjects, service in
            try await set(true, "alice", service)
            try await subjects.disabledUsers.refresh()
            try await set(false, "alice", service)
            #expect(try await !subjects.isDisabled("alice"))
        }
    }

    @Test func `a list that would be too long is none, and one that is shorter again counts`() async throws {
        try await withSubjects(limit: 1) { subjects, service in
            try await set(true, "bob", service)
            try await set(true, "carol", service)
            try await subjects.disabledUsers.refresh()
            try await set(true, "alice", service)
            #expect(try await subjects.isDisabled("alice"))
            for subject in ["alice", "carol"] as [Subject] { try await set(false, subject, service) }
            try await subjects.disabledUsers.refresh()
            #expect(subjects.disabledUsers.spares("alice") && !subjects.disabledUsers.spares("bob"))
        }
    }

    @Test func `before the first reading nobody is spared`() async throws {
        try await withSubjects { subjects, service in
            try await set(true, "alice", service)
            #expect(try await subjects.isDisabled("alice"))
        }
    }

    @Test func `a clock that is set back makes the list no younger`() async throws {
        try await withService { service async throws in
            try await service.storage.addUser("alice", at: noon)
            let clock = SettableClock(noon)
            let subjects = Subjects(store: service.storage, time: clock.source)
            try await subjects.disabledUsers.refresh()
            try await set(true, "alice", service)
            clock.set(by: .seconds(-3600))
            clock.advance(.milliseconds(1001))
            #expect(try await subjects.isDisabled("alice"))
        }
    }

    private let bearer = BearerIdentity(
        subject: "alice", clientID: app, issuer: "i", authority: .trusted, sessionID: nil,
        authentication: Authentication(), expiresAt: noon + .seconds(3600))

    @Test func `contract §3: a change of this node's own counts at once`() async throws {
        try await withSubjects { subjects, service in
            try await subjects.disabledUsers.refresh()
            for isDisabled in [true, false] {
                _ = try await subjects.admission(of: bearer)
                _ = try await subjects.isDisabled("alice")
                try await set(isDisabled, "alice", service)
                subjects.forget("alice")
                #expect(try await subjects.admission(of: bearer) == (isDisabled ? .disabled : .admitted))
                #expect(try await subjects.isDisabled("alice") == isDisabled)
            }
            service.clock.advance(.milliseconds(500))
            try await subjects.disabledUsers.refresh()
            #expect(subjects.disabledUsers.spares("alice"))
        }
    }

    @Test func `whom this node disabled while the list was read is asked about all the same`() async throws {
        try await withService { service async throws in
            for subject in ["alice", "bob"] as [Subject] { try await service.storage.addUser(subject, at: noon) }
            let users = OvertakenUsers(service.storage)
            let subjects = Subjects(store: users, time: service.clock.source)
            users.afterReadingTheDisabled {
                service.clock.advance(.milliseconds(1))
                try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
                subjects.forget("alice")
            }
            try await subjects.disabledUsers.refresh()
            #expect(try await subjects.isDisabled("alice"))
            #expect(subjects.disabledUsers.spares("bob"))
        }
    }
}
