import OAuth2
import Testing

@testable import Bridge

/// Groups that a trusted issuer tells with a bearer (docs/trusted-issuers.md): what the last one said counts, and a repeat
/// may be the last.
@Suite struct RepeatedIssueGroupTests {
    private let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")

    private func bearer(_ service: Service, of groups: [String]) -> BearerIdentity {
        return BearerIdentity(
            subject: "alice", clientID: app, issuer: "https://backend.example", sessionID: nil,
            groups: UserGroups(.array(groups.map { JSONValue.string($0) })), authentication: Authentication(),
            expiresAt: service.clock.now + .seconds(3600))
    }

    private func issue(_ service: Service, of groups: [String]) async throws -> TokenID {
        try await service.issuer.issue(order, bearer: bearer(service, of: groups), origin: origin()).id
    }

    private func kept(_ service: Service) async throws -> [String]? {
        try await service.storage.record(of: "alice")?.groups?.names
    }

    @Test func `attack: a repeat does not keep the groups that its bearer has no more`() async throws {
        try await withService { service async throws in
            let first = try await issue(service, of: ["staff", "admins"])
            #expect(try await issue(service, of: ["staff"]) == first)
            #expect(try await kept(service) == ["staff"])
        }
    }

    @Test func `a repeat takes in what an issue could not keep`() async throws {
        try await withService { service async throws in
            let users = OvertakenUsers(service.storage)
            let node = try Service(storage: service.storage, users: users)
            users.beforeKeepingGroups { throw StorageError.unavailable("away") }
            await #expect(throws: StorageError.self) { try await issue(node, of: ["staff"]) }
            #expect(try await kept(node) == nil)
            _ = try await issue(node, of: ["staff"])
            #expect(try await kept(node) == ["staff"])
            #expect(try await node.events().filter { $0 == "login_token.issued" }.count == 1)
        }
    }

    @Test func `attack: bearers that take turns with what they say write no more than issues may`() async throws {
        try await withService { service async throws in
            for number in 0..<5 { _ = try await issue(service, of: ["\(number % 2)"]) }
            let refusal = try await service.refusal(of: order, bearer: bearer(service, of: ["1"]))
            #expect(refusal.code == .rateLimited)
            #expect(try await kept(service) == ["0"])
            _ = try await issue(service, of: ["0"])
        }
    }
}
