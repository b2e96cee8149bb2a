import OAuth2
import Testing

@testable import Bridge

/// What an administrator is told of a sign-in across devices (contract §13).
@Suite struct PhoneSignInExplanationTests {
    private func explain(
        _ desk: PhoneDesk, _ shown: PhoneApprovals.Shown?, by bearer: BearerIdentity? = nil
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "cross_device")
        try await desk.approvals().explain(shown, bearer: bearer, in: &explanation)
        return explanation
    }

    @Test func `a page that waits is found by its link and by its letters`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            for shown in [
                PhoneApprovals.Shown.link("https://bridge.example/x/\(page.id)"), .link(page.id),
                .letters(page.shownCode.lowercased()),
            ] {
                let explanation = try await explain(desk, shown)
                #expect(explanation.passes)
                #expect(explanation.steps.contains { $0.check == "state" && $0.outcome == "created" })
                #expect(explanation.steps.contains { $0.check == "computer" && $0.outcome == "203.0.113.0/24" })
            }
        }
    }

    @Test(arguments: [
        (PhoneApprovals.Shown.link("https://bridge.example/x/short"), "malformed_link"),
        (.letters("AEIOU"), "malformed_user_code"),
        (.link("https://bridge.example/x/AAAAAAAAAAAAAAAAAAAAAA"), "gone"), (.letters("BBBB-BBBB"), "unknown_code"),
    ])
    func `what no page shows is named`(shown: PhoneApprovals.Shown, reason: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            #expect(try await explain(desk, shown).reason == reason)
        }
    }

    @Test func `each state says whether it goes on`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let bearer = try await desk.phone()
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, bearer)
            #expect(try await explain(desk, .link(page.id), by: bearer).passes)
            let digits = try await desk.approve(page, scanned, bearer)
            let approved = try await explain(desk, .link(page.id), by: bearer)
            #expect(approved.passes)
            // Neither the digits nor what the phone needs to approve.
            #expect(!approved.json.contains(digits) && !approved.json.contains(scanned.transaction.expose()))
            #expect(try await desk.confirm(digits, page).word == "signed in")
            #expect(try await explain(desk, .link(page.id)).reason == "completed")
            let late = try await desk.begin()
            desk.clock.advance(PhoneSignIn.patience)
            #expect(try await explain(desk, .link(late.id)).reason == "expired")
        }
    }

    @Test func `another phone than the one that scanned is told so`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            _ = try await desk.scan(page, try await desk.phone())
            let other = try await explain(desk, .link(page.id), by: try await desk.phone("other"))
            #expect(other.reason == "already_scanned")
        }
    }

    @Test func `an app that may not approve is told why, by the rules of the approval`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            #expect(try await explain(desk, nil, by: try await desk.phone()).passes)
            let old = try await desk.phone(issuedAt: noon - .seconds(301))
            #expect(try await explain(desk, nil, by: old).reason == "token_too_old")
            let handed = try await desk.phone("handed", opening: .tokenExchange, ancestry: [.authorize, .loginToken])
            #expect(try await explain(desk, nil, by: handed).reason == "chained_session")
            let other = try await desk.phone("without", client: website)
            #expect(try await explain(desk, nil, by: other).reason == "client_without_right")
        }
    }

    @Test func `asking changes nothing, writes nothing and counts nothing`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let bearer = try await desk.phone()
            let page = try await desk.begin()
            let before = try await service.events()
            for _ in 0..<40 {
                _ = try await explain(desk, .link(page.id), by: bearer)
                _ = try await explain(desk, .letters("BBBB-BBBB"), by: bearer)
            }
            #expect(try await service.events() == before)
            #expect(try await desk.state(page) == .created)
            _ = try await desk.approvals().find(typed: page.shownCode, bearer: bearer, origin: origin())
        }
    }
}
