import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Whose a phone's key becomes, and how many may be somebody's (docs/self-issued.md).
@Suite struct SelfIssuedGuardTests {
    /// The reason of a refusal; `nil` where there is none.
    private func reason(
        _ step: () async throws -> some Sendable
    ) async throws -> SelfIssuedRefusal.Reason? {
        do {
            _ = try await step()
            return nil
        } catch let refusal as SelfIssuedRefusal {
            return refusal.reason
        }
    }

    /// The proof of the desk's key, which is nobody's, for its holder's choice.
    private func parked(at desk: SelfIssuedDesk) async throws -> ParkedProof {
        let outcome = try await desk.phone.finish(
            try desk.answer(try await desk.begin()), browser: desk.browser, current: nil, origin: origin())
        guard case .unknown(let sealed, _) = outcome else { throw StorageError.corrupt("the key is somebody's") }
        return try #require(desk.phone.proof(sealed: sealed))
    }

    private func createAccount(_ parked: ParkedProof, at desk: SelfIssuedDesk) async throws -> WebSession {
        try await desk.phone.createAccount(for: parked, told: false, replacing: nil, origin: origin()).session
    }

    @Test func `attack: one /48 of IPv6 begins sixteen times as many sign-ins as one /64, and no more`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            func begin(from number: Int) async throws -> SelfIssuedSignIn.Beginning {
                let address = "2001:db8:1:\(String(number * 256, radix: 16))::1"
                return try await desk.phone.begin(
                    errand: "", linking: nil, browser: desk.browser, origin: origin(address))
            }
            for number in 0..<16 { for _ in 0..<30 { _ = try await begin(from: number) } }
            let found = try await reason { try await begin(from: 16) }
            #expect(found == .rateLimited)
        }
    }

    @Test func `attack: a key is linked to whoever asked, not to who is signed in by then`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            for name in ["alice", "bob"] { try await desk.accounts.add(name) }
            let bobs = try #require(try await desk.accounts.attempt("bob").opened).session
            let asked = try await desk.begin(linking: "sub-alice")
            let found = try await reason {
                try await desk.phone.finish(
                    try desk.answer(asked), browser: desk.browser, current: bobs, origin: origin())
            }
            #expect(found == .notSignedIn)
            for subject: Subject in ["sub-alice", "sub-bob"] {
                #expect(try await service.storage.linkedKeys(of: subject).isEmpty)
            }
            // It was nothing else: for himself he links one with that session.
            let own = try await desk.begin(linking: "sub-bob")
            let linked = try await reason {
                try await desk.phone.finish(
                    try desk.answer(own), browser: desk.browser, current: bobs, origin: origin())
            }
            #expect(linked == nil)
        }
    }

    @Test(arguments: [(1199, nil), (1201, .notSignedIn)] as [(Int64, SelfIssuedRefusal.Reason?)])
    func `who links a key signed in at most five minutes before, and the phone's time to answer`(
        age: Int64, expected: SelfIssuedRefusal.Reason?
    ) async throws {
        try await withService { service in
            // So that the session does not end by itself first.
            service.change(website) { $0.sessionIdle = .seconds(3600) }
            let desk = try SelfIssuedDesk(service, lifetime: .seconds(900))
            try await desk.accounts.add("alice")
            let session = try await desk.passwordSession()
            service.clock.advance(.seconds(400))
            let asked = try await desk.begin(linking: session.subject)
            service.clock.advance(.seconds(age - 400))
            let found = try await reason {
                try await desk.phone.finish(
                    try desk.answer(asked), browser: desk.browser, current: session, origin: origin())
            }
            #expect(found == expected)
            let keys = try await service.storage.linkedKeys(of: session.subject)
            #expect(keys.isEmpty == (expected != nil))
        }
    }

    @Test func `attack: no key is linked in a session that lay unused for too long`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, lifetime: .seconds(900))
            try await desk.accounts.add("alice")
            let session = try await desk.passwordSession()
            let asked = try await desk.begin(linking: session.subject)
            service.clock.advance(session.idleLifetime)
            let found = try await reason {
                try await desk.phone.finish(
                    try desk.answer(asked), browser: desk.browser, current: session, origin: origin())
            }
            #expect(found == .notSignedIn)
            #expect(try await service.storage.linkedKeys(of: session.subject).isEmpty)
        }
    }

    @Test func `attack: a handed-over session that took the browser over while the phone answered links no key`()
        async throws
    {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.accounts.add("alice")
            let own = try await desk.passwordSession()
            let asked = try await desk.begin(linking: own.subject)
            let now = service.clock.now
            let handed = WebSession(
                id: "handed", secretDigest: "d",
                lineage: .handedOver(
                    to: own.subject, own.authentication, session: own.id, issuedFrom: .browser(own), at: now,
                    lifetime: .seconds(600)),
                clientID: website, createdAt: now, idleLifetime: .seconds(600), lastSeenAt: now)
            #expect(try await service.storage.open(handed, replacing: nil, events: []))
            let found = try await reason {
                try await desk.phone.finish(
                    try desk.answer(asked), browser: desk.browser, current: handed, origin: origin())
            }
            #expect(found == .notSignedIn)
            #expect(try await service.storage.linkedKeys(of: own.subject).isEmpty)
            #expect(try await service.events().last == "self_issued.refused not_signed_in")
        }
    }

    @Test func `a choice is open for ten minutes`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let outcome = try await desk.phone.finish(
                try desk.answer(try await desk.begin()), browser: desk.browser, current: nil, origin: origin())
            guard case .unknown(let sealed, _) = outcome else { Issue.record("\(outcome)"); return }
            service.clock.advance(.seconds(599))
            #expect(desk.phone.proof(sealed: sealed) != nil)
            service.clock.advance(.seconds(1))
            #expect(desk.phone.proof(sealed: sealed) == nil)
        }
    }

    @Test func `attack: a choice makes one account, and signs nobody in again`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let parked = try await parked(at: desk)
            _ = try await createAccount(parked, at: desk)
            let again = try await reason { try await createAccount(parked, at: desk) }
            #expect(again == .stateUnknown)
            #expect(try await service.events().count { $0.hasPrefix("web_session.opened") } == 1)
        }
    }

    @Test func `attack: a choice does not sign in to the account that the key was linked to meanwhile`() async throws {
        try await withService { service in
            let limiter = LinkingLimiter(service.storage)
            let desk = try SelfIssuedDesk(service, limiter: limiter)
            try await desk.accounts.add("alice")
            let parked = try await parked(at: desk)
            let key = LinkedKey(
                thumbprint: try desk.thumbprint, subject: "sub-alice", algorithm: .es256, origin: .linked,
                createdAt: noon)
            limiter.key.withLock { $0 = key }
            let found = try await reason { try await createAccount(parked, at: desk) }
            #expect(found == .stateUnknown)
            // Hers it stays.
            #expect(try await service.storage.linkedKey(desk.thumbprint)?.subject == "sub-alice")
            #expect(try await service.events().contains { $0.hasPrefix("web_session.opened") } == false)
        }
    }

    @Test func `where unknown keys are rejected there is no choice, not even one of before`() async throws {
        try await withService { service in
            let before = try await parked(at: SelfIssuedDesk(service))
            let desk = try SelfIssuedDesk(service, unknownSubject: .reject)
            let asked = try await desk.begin()
            let unknown = try await reason {
                try await desk.phone.finish(
                    try desk.answer(asked), browser: desk.browser, current: nil, origin: origin())
            }
            #expect(unknown == .subjectUnknown)
            let chosen = try await reason { try await createAccount(before, at: desk) }
            #expect(chosen == .stateUnknown)
            let events = try await service.events()
            #expect(!events.contains { $0.hasPrefix("user.created") || $0.hasPrefix("web_session.opened") })
        }
    }

    @Test func `attack: one network makes five accounts an hour, with as many keys as it likes`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, unknownSubject: .create)
            func signIn(from address: String) async throws -> SelfIssuedRefusal.Reason? {
                let answer = try desk.answer(try await desk.begin(), with: try SigningKey.generate(.es256))
                return try await reason {
                    try await desk.phone.finish(
                        answer, browser: desk.browser, current: nil, origin: origin(address))
                }
            }
            for number in 1...5 {
                let found = try await signIn(from: "203.0.113.\(number)")
                #expect(found == nil)
            }
            let sixth = try await signIn(from: "203.0.113.200")
            #expect(sixth == .rateLimited)
            let elsewhere = try await signIn(from: "198.51.100.1")
            #expect(elsewhere == nil)
            service.clock.advance(.seconds(3599))
            let within = try await signIn(from: "203.0.113.200")
            #expect(within == .rateLimited)
            service.clock.advance(.seconds(1))
            let after = try await signIn(from: "203.0.113.200")
            #expect(after == nil)
            #expect(try await service.events().count { $0.hasPrefix("user.created") } == 7)
        }
    }

    @Test func `contract §12: a network whose answers were refused sixty times in a minute has to wait`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let asked = try await desk.begin()
            let nonsense = try FormParameters(parsing: "state=nobodys".utf8)
            func finish(_ answer: FormParameters, from address: String) async throws -> SelfIssuedRefusal.Reason? {
                try await reason {
                    try await desk.phone.finish(
                        answer, browser: desk.browser, current: nil, origin: origin(address))
                }
            }
            for _ in 0..<60 {
                let found = try await finish(nonsense, from: "203.0.113.7")
                #expect(found == .stateUnknown)
            }
            let answer = try desk.answer(asked)
            let held = try await finish(answer, from: "203.0.113.99")
            #expect(held == .rateLimited)
            // The answer was not looked at, and is good.
            let elsewhere = try await finish(answer, from: "198.51.100.1")
            #expect(elsewhere == nil)
        }
    }

    @Test(arguments: [true, false])
    func `an answer after another one is refused, and takes nothing from the browser that waits`(isOvertaken: Bool)
        async throws
    {
        try await withService { service in
            let store = OvertakenTransactions()
            let desk = try SelfIssuedDesk(service, transactions: store)
            try await desk.linked()
            let asked = try await desk.begin()
            let answer = try desk.answer(asked)
            let waiting = store.selfIssued(SelfIssuedTransaction.digest(of: asked.state), at: service.clock.now)
            try await desk.phone.receive(answer, origin: origin())
            if isOvertaken { store.show(waiting) }
            let posted = try await reason { try await desk.phone.receive(answer, origin: origin()) }
            let expected = isOvertaken ? SelfIssuedRefusal.Reason.replayed : .stateUnknown
            #expect(posted == expected)
            let brought = try await reason {
                try await desk.phone.finish(answer, browser: desk.browser, current: nil, origin: origin())
            }
            #expect(brought == expected)
            store.show(nil)
            let found = try await desk.look(asked.state)
            #expect(found == "answered")
            guard case .done = try await desk.pickUp(asked) else { Issue.record("not picked up"); return }
        }
    }

    @Test func `while an answer is taken in, the browser waits on, and no other answer comes between`() async throws {
        try await withService { service in
            let store = OvertakenTransactions()
            let desk = try SelfIssuedDesk(service, transactions: store)
            try await desk.linked()
            let asked = try await desk.begin()
            let (answer, strangers) = (
                try desk.answer(asked), try desk.answer(asked, with: try SigningKey.generate(.es256))
            )
            store.beforeReplacing {
                let found = try await desk.look(asked.state)
                #expect(found == "waiting")
                let same = try await reason { try await desk.phone.receive(answer, origin: origin()) }
                #expect(same == .replayed)
                let other = try await reason { try await desk.phone.receive(strangers, origin: origin()) }
                #expect(other == .subjectUnknown)
            }
            try await desk.phone.receive(answer, origin: origin())
            guard case .done = try await desk.pickUp(asked) else { Issue.record("not picked up"); return }
        }
    }

    @Test func `an answer does not bring back what the browser declined meanwhile`() async throws {
        try await withService { service in
            let store = OvertakenTransactions()
            let desk = try SelfIssuedDesk(service, transactions: store)
            try await desk.linked()
            let asked = try await desk.begin()
            store.beforeReplacing {
                try await desk.phone.decline(asked.state, browser: desk.browser, origin: origin())
            }
            let found = try await reason {
                try await desk.phone.receive(try desk.answer(asked), origin: origin())
            }
            #expect(found == .stateUnknown)
            let seen = try await desk.look(asked.state)
            #expect(seen == "over")
        }
    }

    @Test func `the first answer from another device is the only one, also where it is refused`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let asked = try await desk.begin()
            let waiting = try desk.kept(asked)
            let refused = try await reason {
                try await desk.phone.receive(
                    try desk.answer(asked, with: try SigningKey.generate(.es256)), origin: origin())
            }
            #expect(refused == .subjectUnknown)
            let seen = try await desk.look(asked.state)
            #expect(seen == "over")
            // Not even where the store forgets that it was taken.
            try desk.putBack(waiting, asked)
            let again = try await reason { try await desk.phone.receive(try desk.answer(asked), origin: origin()) }
            #expect(again == .replayed)
        }
    }
}

/// Transactions that may still look as they did before another request changed them.
private final class OvertakenTransactions: SelfIssuedTransactionStore {
    private let store = InProcessSelfIssuedTransactions()
    private let seen = Mutex<SelfIssuedRecord?>(nil)
    private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// - Parameter record: `nil` for what there is.
    func show(_ record: SelfIssuedRecord?) { seen.withLock { $0 = record } }

    /// What happens once, in the moment before a transaction is replaced.
    func beforeReplacing(_ body: @escaping @Sendable () async throws -> Void) { hook.withLock { $0 = body } }

    func keepSelfIssued(_ record: SelfIssuedRecord, as digest: String, at now: Timestamp) throws {
        try store.keepSelfIssued(record, as: digest, at: now)
    }

    func replaceSelfIssued(with record: SelfIssuedRecord, as digest: String, at now: Timestamp) async throws -> Bool {
        let hook = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        try await hook?()
        return store.replaceSelfIssued(with: record, as: digest, at: now)
    }

    func takeSelfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        store.takeSelfIssued(digest, at: now)
    }

    func selfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        seen.withLock { $0 } ?? store.selfIssued(digest, at: now)
    }
}

/// Has a key linked in the moment before an account is made for it.
private final class LinkingLimiter: RateLimiter {
    let key = Mutex<LinkedKey?>(nil)
    private let storage: any BridgeStorage

    init(_ storage: any BridgeStorage) { self.storage = storage }

    func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        if keys.contains(where: { $0.scope == "self_issued.accounts" }), let key = key.withLock({ $0 }) {
            let event = AuditEvent(at: now, type: .selfIssuedLinked, outcome: .success)
            #expect(try await storage.link(key, in: nil, event: event) == .linked)
        }
        return .allowed
    }

    func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) {}
}
