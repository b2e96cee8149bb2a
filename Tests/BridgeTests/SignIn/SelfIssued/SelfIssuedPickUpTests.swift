import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

/// What becomes of a phone's answer that waits for its browser: when its time is over, and when all that could sign its
/// user in ends (contract §7).
@Suite struct SelfIssuedPickUpTests {
    /// What the browser that waits gets.
    private func word(_ beginning: SelfIssuedSignIn.Beginning, at desk: SelfIssuedDesk) async throws -> String {
        do {
            switch try await desk.pickUp(beginning) {
            case .done: return "done"
            case .over: return "over"
            case .wrongCode: return "wrong code"
            case .limited: return "limited"
            }
        } catch let refusal as SelfIssuedRefusal {
            return refusal.reason.rawValue
        }
    }

    /// A sign-in that the desk's phone has answered from another device.
    private func answered(at desk: SelfIssuedDesk) async throws -> SelfIssuedSignIn.Beginning {
        let beginning = try await desk.begin()
        try await desk.phone.receive(try desk.answer(beginning), origin: origin())
        return beginning
    }

    @Test(arguments: [EndingRoot.user("sub-alice"), .unused(of: "sub-alice")])
    func `attack: an answer from before the end of everything signs nobody in`(root: EndingRoot) async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let before = try await answered(at: desk)
            #expect(try await desk.look(before.state) == "answered")
            _ = try await service.endings.end(root, .sample(at: service.clock.now))
            #expect(try await desk.look(before.state) == "over")
            #expect(try await word(before, at: desk) == "state_unknown")
            let events = try await service.events()
            #expect(events.last == "self_issued.refused state_unknown")
            #expect(!events.contains { $0.hasPrefix("web_session.opened") })
            let after = try await answered(at: desk)
            #expect(try await desk.look(after.state) == "answered")
            #expect(try await word(after, at: desk) == "done")
        }
    }

    @Test func `attack: a key that was linked after its answer signs nobody in once everything has ended`() async throws
    {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, crossDevice: .any)
            let beginning = try await answered(at: desk)
            try await desk.linked()
            _ = try await service.endings.end(.user("sub-alice"), .sample(at: service.clock.now))
            #expect(try await desk.look(beginning.state) == "over")
            #expect(try await word(beginning, at: desk) == "state_unknown")
        }
    }

    @Test func `attack: an answer from another device is picked up within two minutes, or by nobody`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await answered(at: desk)
            service.clock.advance(.milliseconds(119_999))
            #expect(try await desk.look(beginning.state) == "answered")
            service.clock.advance(.milliseconds(1))
            #expect(try await desk.look(beginning.state) == "over")
            #expect(try await word(beginning, at: desk) != "done")
        }
    }

    @Test func `an app's sign-out leaves an answer that waits`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await answered(at: desk)
            let ending = Ending(at: service.clock.now, reason: .signedOutInApp, origin: nil)
            _ = try await service.endings.end(.opened(by: "app", of: "sub-alice", in: nil), ending)
            #expect(try await word(beginning, at: desk) == "done")
        }
    }

    @Test func `a page for the browser that waits is made of one look`() async throws {
        try await withService { service in
            let transactions = CountedTransactions()
            let desk = try SelfIssuedDesk(service, transactions: transactions)
            let (signIn, linking) = (try await desk.begin(), try await desk.begin(linking: "sub-alice"))
            let before = transactions.looks
            let page = try await desk.phone.look(signIn.state, browser: desk.browser, origin: origin())
            #expect(transactions.looks == before + 1)
            #expect(page.errand == "redirect=%2Fcontacts" && !page.isLinking)
            let other = try await desk.phone.look(linking.state, browser: desk.browser, origin: origin())
            #expect(other.isLinking)
        }
    }

    @Test func `attack: another browser is not told what a sign-in is for`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let beginning = try await desk.begin()
            let page = try await desk.phone.look(
                beginning.state, browser: OpaqueSecret.make(.selfIssued, random: .system), origin: origin())
            guard case .over = page.standing else { Issue.record("\(page)"); return }
            #expect(page.errand.isEmpty)
        }
    }
}

/// Transactions that count how often they are looked at.
private final class CountedTransactions: SelfIssuedTransactionStore {
    private let store = InProcessSelfIssuedTransactions()
    private let counter = Mutex(0)

    var looks: Int { counter.withLock { $0 } }

    func keepSelfIssued(_ record: SelfIssuedRecord, as digest: String, at now: Timestamp) throws {
        try store.keepSelfIssued(record, as: digest, at: now)
    }

    func replaceSelfIssued(with record: SelfIssuedRecord, as digest: String, at now: Timestamp) -> Bool {
        store.replaceSelfIssued(with: record, as: digest, at: now)
    }

    func takeSelfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        store.takeSelfIssued(digest, at: now)
    }

    func selfIssued(_ digest: String, at now: Timestamp) -> SelfIssuedRecord? {
        counter.withLock { $0 += 1 }
        return store.selfIssued(digest, at: now)
    }
}
