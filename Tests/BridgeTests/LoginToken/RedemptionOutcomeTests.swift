import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// What is told of every login token that is brought, for the operator's charts.
@Suite struct RedemptionOutcomeTests {
    private final class Told: Sendable {
        private let labels = Mutex<[RedemptionOutcome.Label]>([])
        var all: [RedemptionOutcome.Label] { labels.withLock { $0 } }
        func add(_ label: RedemptionOutcome.Label) { labels.withLock { $0.append(label) } }
    }

    /// What is told of a token that is brought twice, ten seconds apart.
    private func told(
        _ redeem: (Service, Client, Secret<String>) async throws -> Void
    ) async throws -> [RedemptionOutcome.Label] {
        let told = Told()
        try await withService { service async throws in
            let node = try Service(storage: service.storage, onRedemption: { told.add($0) })
            let site = try #require(node.clients.current[website])
            let token = try await node.issue().token
            try await redeem(node, site, token)
            node.clock.advance(.seconds(10))
            try await redeem(node, site, token)
        }
        return told.all
    }

    @Test func `a link in a browser is told of`() async throws {
        let told = try await told { service, _, token in _ = try await service.open(token) }
        #expect(told == [.opened, .refused])
    }

    @Test func `a token that a website's server brings is told of`() async throws {
        let told = try await told { service, site, token in
            _ = try? await service.redeemer.redeem(
                BackChannelRedemption(token: token, website: site, codeVerifier: nil, origin: origin()))
        }
        #expect(told == [.opened, .refused])
    }

    @Test func `a token in an authorization request is told of`() async throws {
        let told = try await told { service, site, token in
            _ = try await service.redeemer.redeem(
                TokenAuthorization(
                    token: token, website: site, current: nil, tokenSessions: [], confirmsSwitch: false, retry: nil,
                    origin: origin())
            ) { _ in nil }
        }
        #expect(told == [.opened, .refused])
    }

    @Test func `a link with no token and one with two are told of`() async throws {
        let visit = Visit(carrier: .query, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true)
        let told = try await told { service, _, _ in
            for token in [RedemptionRequest.PresentedToken.none, .conflicting] {
                _ = try await service.redeemer.redeem(
                    RedemptionRequest(token: token, visit: visit, origin: origin()))
            }
        }
        #expect(told == [.refused, .refused, .refused, .refused])
    }
}
