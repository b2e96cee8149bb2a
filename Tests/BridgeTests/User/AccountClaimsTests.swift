import Bridge
import OAuth2
import StorageConformance
import Testing

/// OpenID Connect Core §5.1.
@Suite struct AccountClaimsTests {
    private func claims(
        _ standard: [String: JSONValue] = [:], email: String? = nil, changedAt: Timestamp? = nil
    ) async throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        try await withService { service in
            let account = Account(
                subject: "alice", username: Username("Alice"), displayName: "Alice Example", email: email,
                createdAt: noon, claims: try StandardClaims(standard), claimsChangedAt: changedAt)
            _ = try await service.storage.addAccount(
                account, issuer: Account.issuer, link: nil,
                event: AuditEvent(at: noon, type: .userCreated, outcome: .success))
            found = try await AccountClaims(accounts: service.storage).claims(of: "alice")
        }
        return found
    }

    @Test func `an account tells its names and when it was made`() async throws {
        #expect(
            try await claims() == [
                "name": .string("Alice Example"), "preferred_username": .string("Alice"),
                "updated_at": .number(String(noon.seconds)),
            ])
    }

    @Test func `an address or a number counts as verified only when an administrator says so`() async throws {
        let unchecked = try await claims(["phone_number": .string("+1 555")], email: "alice@example.com")
        #expect(unchecked["email_verified"] == .bool(false))
        #expect(unchecked["phone_number_verified"] == .bool(false))
        let checked = try await claims(
            [
                "phone_number": .string("+1 555"), "email_verified": .bool(true),
                "phone_number_verified": .bool(true),
            ], email: "alice@example.com")
        #expect(checked["email_verified"] == .bool(true))
        #expect(checked["phone_number_verified"] == .bool(true))
    }

    @Test func `nothing is said of an address that is not there`() async throws {
        let found = try await claims(["email_verified": .bool(true)])
        #expect(found["email"] == nil)
        #expect(found["email_verified"] == nil)
    }

    @Test func `of another issuer's user the groups are known that the issuer told, and nothing of an account's`()
        async throws
    {
        try await withService { service async throws in
            try await service.storage.addUser("eve", issuer: "https://i.example", at: noon)
            let groups = try #require(UserGroups(.array([.string("staff")])))
            let event = AuditEvent(at: noon, type: .userClaimsChanged, outcome: .success)
            try await service.storage.keepGroups(groups, of: "eve", event: event)
            #expect(try await AccountClaims(accounts: service.storage).claims(of: "eve") == ["groups": groups.value])
        }
        #expect(try await claims(["groups": .array([.string("admin")])])["groups"] == .array([.string("admin")]))
    }

    @Test func `of a user without an account nothing is known`() async throws {
        try await withService { service async throws in
            #expect(try await AccountClaims(accounts: service.storage).claims(of: "unheard-of").isEmpty)
        }
    }
}
