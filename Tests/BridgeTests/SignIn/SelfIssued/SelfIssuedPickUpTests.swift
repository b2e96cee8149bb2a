import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What becomes of a phone's answer that waits for its browser when all that could sign its user in ends (contract §7).
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
}
