import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What becomes of a password set-up link when whoever made it administers no longer.
@Suite struct SetUpLinkMakerTests {
    private static let new = Secret("plum duff at noon")

    private func makeChange(over service: Service) throws -> PasswordChange {
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: service.storage, limiter: limiter)
        return PasswordChange(
            storage: service.storage, hasher: PasswordHasher(cost: SignInDesk.cost),
            throttle: SignInThrottle(
                limiter: limiter, limits: LimitSettings(), refusals: refusals, knownBrowsers: try .sample()),
            opener: SessionOpener(sessions: service.sessions, store: service.storage, clients: service.clients),
            endings: service.endings, refusals: refusals, keys: service.keys, clients: service.clients,
            time: service.clock.source)
    }

    /// With alice, whose password links set, the administrator root, and the machine that administers.
    private func withMakers(_ body: (PasswordChange, Service) async throws -> Void) async throws {
        try await withService { service async throws in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            // Two, so that either may go.
            for name in ["root", "other"] {
                try await desk.add(name)
                try await service.storage.change(
                    Subject(rawValue: "sub-\(name)"), UserChange(role: .give(.admin)), ending: .sample(at: noon))
            }
            var machine = Client(id: "machine", name: "A machine", kind: .service)
            machine.scope = Scope(tokens: [Scope.admin])
            service.clients.add(machine)
            try await body(makeChange(over: service), service)
        }
    }

    private func link(
        by actor: AdminActor, _ change: PasswordChange, _ service: Service
    ) async throws -> Secret<String> {
        let action = AdminAction(actor: actor, reason: "forgotten", origin: nil, at: service.clock.now)
        return try #require(try await change.invite("sub-alice", action: action))
    }

    private func isSet(by link: Secret<String>, _ change: PasswordChange) async throws -> Bool {
        if case .isSet = try await change.setUp(Self.new, invitedBy: link, origin: origin()) { true } else { false }
    }

    /// What happens to who made a link, and whether it counts afterwards.
    private static let fates: [(String, AdminActor, isGood: Bool, @Sendable (Service) async throws -> Void)] = [
        ("nothing", .login("root"), true, { _ in }), ("nothing", .account("sub-root"), true, { _ in }),
        ("nothing", .client("machine"), true, { _ in }),
        ("it is renamed", .client("machine"), true, { $0.change("machine") { $0.name = "Another name" } }),
        ("it is deleted", .client("machine"), false, { $0.clients.remove("machine") }),
        ("it has no right", .client("machine"), false, { $0.change("machine") { $0.scope = Scope(tokens: ["read"]) } }),
        (
            "it has another secret", .client("machine"), false,
            { $0.change("machine") { $0.adminEpoch = noon + .milliseconds(1) } }
        ),
        ("it never had the right", .client("web"), false, { _ in }),
        (
            "the role is taken away", .account("sub-root"), false,
            { try await $0.storage.change("sub-root", UserChange(role: .take), ending: .sample(at: noon)) }
        ),
        (
            "the account is disabled, and enabled again", .account("sub-root"), false,
            { service in
                for isDisabled in [true, false] {
                    try await service.storage.change(
                        "sub-root", UserChange(isDisabled: isDisabled), ending: .sample(at: noon))
                }
            }
        ),
        ("there is no such account", .account("nobody"), false, { _ in }),
    ]

    @Test(arguments: fates.indices)
    func `attack: a link outlives nobody's right to make one`(number: Int) async throws {
        let (what, actor, isGood, befall) = Self.fates[number]
        try await withMakers { change, service in
            let link = try await link(by: actor, change, service)
            try await befall(service)
            let shown = try await change.account(invitedBy: link, origin: nil)
            #expect((shown != nil) == isGood, "\(what)")
            #expect(try await isSet(by: link, change) == isGood, "\(what)")
            let events = try await service.storage.search(
                AuditFilter(type: .userPasswordChanged), before: nil, limit: 10
            ).records.map(\.event)
            #expect(events.map(\.reason) == [isGood ? "by a set-up link" : "link_of_former_administrator"], "\(what)")
            #expect(events.map { $0.fact("link_by") } == [actor.description], "\(what)")
        }
    }

    @Test func `a link of the version before, which names nobody, stays good for its hour`() async throws {
        try await withMakers { change, service in
            let seal = ShortLivedSeal(keys: service.keys, purpose: .passwordLink, time: service.clock.source)
            let content = #"{"sub":"sub-alice","password_set_at":\#(noon.milliseconds),"ended_at":0}"#
            let link = Secret(try seal.seal(Array(content.utf8), lifetime: PasswordChange.linkLifetime))
            #expect(try await isSet(by: link, change))
            let event = try #require(
                try await service.storage.search(AuditFilter(type: .userPasswordChanged), before: nil, limit: 1)
                    .records.first?.event)
            #expect(event.fact("link_by") == nil && event.actor == "account:sub-alice")
        }
    }

    @Test func `what a node of the version before reads of a link is where it was`() async throws {
        try await withMakers { change, service in
            let link = try await link(by: .account("sub-root"), change, service)
            let seal = ShortLivedSeal(keys: service.keys, purpose: .passwordLink, time: service.clock.source)
            let members = try #require(seal.open(link.expose()).flatMap { JSONValue.parse($0)?.object })
            #expect(members["sub"]?.string == "sub-alice" && members["ended_at"]?.integer == 0)
            #expect(members["password_set_at"]?.integer == noon.milliseconds)
        }
    }
}
