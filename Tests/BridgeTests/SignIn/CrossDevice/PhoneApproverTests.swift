import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// Which app may approve a sign-in on another device, when it does and when that is used (docs/cross-device.md).
@Suite struct PhoneApproverTests {
    /// What an operator takes away, or a website comes to ask for.
    enum Loss: String, CaseIterable, Sendable {
        case client = "the client is removed"
        case right = "it may not open websites"
        case reach = "it may open other websites"
        case strength = "the website wants two factors"

        func befall(_ service: Service) {
            switch self {
            case .client: service.clients.remove(app)
            case .right: service.change(app) { $0.canIssueLoginTokens = false }
            case .reach: service.change(app) { $0.mayReach = ["confirming"] }
            case .strength:
                service.change(website) { $0.minimumACR = AuthenticationLevel.twoFactors.rawValue }
            }
        }

        var reason: String {
            switch self {
            case .client, .right: "client_without_right"
            case .reach: "target_not_reachable"
            case .strength: "authentication_too_weak"
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `an app that lost its right after the approval opens nothing`(loss: Loss) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            loss.befall(service)
            let outcome = try await desk.confirm(digits, page)
            #expect(outcome.word == "over: completed")
            #expect(try await desk.reasons() == [loss.reason])
            #expect(try await service.events().contains { $0.hasPrefix("web_session.opened") } == false)
        }
    }

    @Test(arguments: Loss.allCases)
    func `digits that an app showed before it lost its right open nothing`(loss: Loss) async throws {
        try await withService { service in
            try await SignInDesk(service).add("alice")
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone(of: "sub-alice")
            let digits = try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
            loss.befall(service)
            let isSignedIn = try await desk.signsIn(digits, "alice")
            #expect(!isSignedIn)
            #expect(try await desk.reasons() == [loss.reason])
        }
    }

    @Test func `contract §9: a sign-in that was new enough at the approval is so until the digits are typed`()
        async throws
    {
        try await withService { service in
            try await SignInDesk(service).add("alice")
            service.change(website) { $0.maximumAuthenticationAge = .seconds(30) }
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone(of: "sub-alice")
            let page = try await desk.begin()
            desk.clock.advance(.seconds(30))
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            let shown = try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
            desk.clock.advance(.seconds(59))
            let outcome = try await desk.confirm(digits, page)
            #expect(outcome.word == "signed in")
            let isSignedIn = try await desk.signsIn(shown, "alice")
            #expect(isSignedIn)
            let next = try await desk.begin()
            let refused = try await refusal { try await desk.scan(next, phone) }
            #expect(refused == "insufficient_user_authentication authentication_too_weak")
        }
    }

    @Test func `a sign-in that is too weak for the default website approves nothing`() async throws {
        try await withService { service in
            Loss.strength.befall(service)
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let refused = try await refusal { try await desk.scan(page, phone) }
            #expect(refused == "insufficient_user_authentication authentication_too_weak")
            #expect(try await desk.state(page) == .created)
        }
    }

    @Test func `an app that may not open the default website approves nothing`() async throws {
        try await withService { service in
            Loss.reach.befall(service)
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let refused = try await refusal { try await desk.scan(page, phone) }
            #expect(refused == "unauthorized_client target_not_reachable")
            #expect(try await desk.state(page) == .created)
        }
    }

    @Test func `attack: of right letters too no user has more than thirty looked at in a quarter of an hour`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            func find() async throws -> String {
                // Slowly enough for the limit of requests, and within the page's two minutes.
                desk.clock.advance(.seconds(3))
                return try await refusal {
                    try await desk.approvals().find(typed: page.shownCode, bearer: phone, origin: origin()).id
                }
            }
            for _ in 0..<30 {
                let found = try await find()
                #expect(found == "accepted")
            }
            let last = try await find()
            #expect(last == "rate_limited cross_device.user_codes")
        }
    }

    @Test func `attack: an app that may not approve takes nothing from one that may`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let other = try await desk.phone("of another app", client: "without-right")
            let page = try await desk.begin()
            var refusals: [String] = []
            for _ in 0..<40 { refusals.append(try await refusal { try await desk.scan(page, other).expiresIn }) }
            #expect(Set(refusals.prefix(30)) == ["unauthorized_client client_without_right"])
            #expect(Set(refusals.dropFirst(30)) == ["rate_limited cross_device.client"])
            let scanned = try await desk.scan(page, phone)
            #expect(try await desk.approve(page, scanned, phone).utf8.count == 6)
        }
    }

    /// - Returns: a phone of a user who may do no more this minute, and the page that it asked about.
    private func useUpApprovals(_ desk: PhoneDesk) async throws -> (page: PhoneSignInPage, phone: BearerIdentity) {
        let phone = try await desk.phone()
        let page = try await desk.begin()
        for _ in 0..<30 { _ = try await desk.scan(page, phone) }
        let last = try await refusal { try await desk.scan(page, phone).expiresIn }
        #expect(last == "rate_limited cross_device.subject")
        return (page, phone)
    }

    @Test func `attack: whoever has used up a user's approvals keeps nobody from declining and reporting`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let (page, phone) = try await useUpApprovals(desk)
            try await desk.approvals().deny(
                page.id, isReport: true, bearer: phone, origin: origin(PhoneDesk.phoneAddress))
            #expect(try await desk.state(page) == .denied)
            #expect(try await service.events().contains("cross_device.reported"))
            // They have a number of their own, in which declining what is over counts too.
            var refusals: [String] = []
            for _ in 0..<31 {
                let refused = try await refusal {
                    try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin())
                }
                refusals.append(refused)
            }
            #expect(refusals.last == "rate_limited cross_device.denial")
        }
    }

    @Test func `contract §12: thirty requests of one user in a minute, and no more`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            _ = try await useUpApprovals(desk)
            let other = try await desk.phone("bob's", of: "bob")
            let free = try await desk.begin()
            let found = try await refusal { try await desk.scan(free, other).expiresIn }
            #expect(found == "accepted")
        }
    }
}
