import OAuth2
import Testing

@testable import Bridge

/// Which phone gets hold of a computer's page, by its code or by letters, and may approve it (docs/cross-device.md).
@Suite struct PhoneScanTests {
    @Test func `attack: a second scanner is refused, and the first may scan again`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let first = try await desk.scan(page, try await desk.phone())
            for thief in [try await desk.phone("other"), try await desk.phone("mallory's", of: "mallory")] {
                #expect(try await desk.refusal { try await desk.scan(page, thief) } == "already_scanned")
            }
            let again = try await desk.scan(page, try await desk.phone())
            #expect(again.transaction.expose() == first.transaction.expose())
            #expect(try await desk.approve(page, first, desk.phone()).utf8.count == 6)
        }
    }

    @Test func `attack: the transaction of another page, or of another phone, approves nothing`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            _ = try await desk.scan(page, phone)
            let others = [
                try await desk.scan(try await desk.begin(), phone),
                try await desk.scan(try await desk.begin(), try await desk.phone("tablet")),
            ]
            for other in others {
                #expect(try await desk.refusal { try await desk.approve(page, other, phone) } == "access_denied")
            }
            #expect(try await desk.reasons() == ["wrong_txn", "wrong_txn"])
        }
    }

    @Test func `the letters lead the phone that scanned to its page until it decides, and no other`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let (phone, other) = (try await desk.phone(), try await desk.phone("other"))
            let page = try await desk.begin()
            func find(_ phone: BearerIdentity) async throws -> String {
                try await desk.approvals().find(typed: page.shownCode, bearer: phone, origin: origin()).id
            }
            #expect(try await find(phone) == page.id)
            let scanned = try await desk.scan(page, phone)
            #expect(try await find(phone) == page.id)
            #expect(try await desk.refusal { try await find(other) } == "not_found")
            _ = try await desk.approve(page, scanned, phone)
            #expect(try await desk.refusal { try await find(phone) } == "not_found")
        }
    }

    @Test func `attack: of many phones that scan at once one is bound`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            var phones: [BearerIdentity] = []
            for number in 0..<8 {
                phones.append(try await desk.phone("phone-\(number)", of: Subject(rawValue: "user-\(number)")))
            }
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for phone in phones { group.addTask { try await desk.refusal { try await desk.scan(page, phone) } } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "none" } == 1)
            #expect(outcomes.count { $0 == "already_scanned" } == 7)
        }
    }

    @Test func `attack: another user's phone, or another of the same user's, can neither approve nor decline`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, try await desk.phone())
            for other in [try await desk.phone("tablet"), try await desk.phone("mallory's", of: "mallory")] {
                #expect(try await desk.refusal { try await desk.approve(page, scanned, other) } == "access_denied")
                #expect(
                    try await desk.refusal {
                        try await desk.approvals().deny(page.id, isReport: true, bearer: other, origin: origin())
                    } == "access_denied")
            }
            #expect(try await desk.reasons() == [String?](repeating: "other_phone", count: 4))
            #expect(try await desk.state(page) == .scanned)
        }
    }

    @Test func `attack: a transaction is used once, and no other one counts`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, phone)
            let forged = try await desk.refusal {
                try await desk.approvals().approve(page.id, transaction: "forged", bearer: phone, origin: origin())
            }
            #expect(forged == "access_denied")
            let digits = try await desk.approve(page, scanned, phone)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, phone) } == "conflict")
            _ = try await desk.confirm(digits, page)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, phone) } == "conflict")
            #expect(try await desk.refusal { try await desk.scan(page, phone) } == "conflict")
            #expect(try await desk.confirm(digits, page).word == "over: completed")
        }
    }

    @Test func `attack: a live relay shows itself, by another network and browser`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "198.51.100.20", userAgent: "curl/8")
            desk.clock.advance(.seconds(7))
            let scanned = try await desk.scan(page, try await desk.phone(), from: "203.0.113.9")
            #expect(!scanned.isSameNetwork)
            #expect(scanned.network == "198.51.100.0/24")
            #expect(scanned.browser == nil)
            #expect(scanned.system == nil)
            #expect(scanned.age == 7)
        }
    }

    @Test func `where it is asked for, a phone of another network is refused`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "198.51.100.20")
            let phone = try await desk.phone()
            let approvals = desk.approvals(requiresSameNetwork: true)
            #expect(
                try await desk.refusal {
                    try await approvals.scan(page.id, bearer: phone, origin: origin("203.0.113.9"))
                } == "access_denied")
            // It did not take the page from the right one.
            #expect(try await desk.state(page) == .created)
        }
    }

    @Test(arguments: ["2001:db8:0:1ff::1", "2001:db8:0:1200::1"])
    func `one network is a /56 of IPv6`(address: String) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin(from: "2001:db8:0:100::1")
            let scanned = try await desk.scan(page, try await desk.phone(), from: address)
            #expect(scanned.isSameNetwork == (address == "2001:db8:0:1ff::1"))
        }
    }

    @Test(arguments: [SessionOpening.loginToken, .handOff, .deviceCode, .tokenExchange])
    func `attack: a session that was handed over cannot approve`(opening: SessionOpening) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            try await expectNoApproval(by: desk.phone("handed-off", opening: opening), desk)
        }
    }

    @Test func `attack: a session granted in a handed-over one cannot approve`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            try await expectNoApproval(by: desk.phone("granted", ancestry: [.authorize, .loginToken]), desk)
        }
    }

    private func expectNoApproval(by phone: BearerIdentity, _ desk: PhoneDesk) async throws {
        let page = try await desk.begin()
        #expect(try await desk.refusal { try await desk.scan(page, phone) } == "unauthorized_client")
        let shown = try await desk.refusal { try await desk.codes().show(bearer: phone, origin: origin()) }
        #expect(shown == "unauthorized_client")
        #expect(try await desk.reasons() == ["chained_session", "chained_session"])
    }

    @Test func `a client without the right, and another issuer's bearer, cannot approve`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let mute = try await desk.phone("mute", client: "mute")
            #expect(try await desk.refusal { try await desk.scan(page, mute) } == "unauthorized_client")
            #expect(
                try await desk.refusal { try await desk.scan(page, service.bearer(sid: "phone")) }
                    == "unauthorized_client")
        }
    }

    @Test func `an approval takes a token of the last five minutes`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let old = try await desk.phone(issuedAt: noon - .seconds(301))
            let scanned = try await desk.scan(page, old)
            #expect(try await desk.refusal { try await desk.approve(page, scanned, old) } == "invalid_token")
            #expect(try await desk.approve(page, scanned, desk.phone()).utf8.count == 6)
        }
    }

    @Test(arguments: [" ", "", ".", "_", "\t", "–", "\u{A0}", " / "])
    func `eight letters find the page, however they are typed, and the phone goes on from there`(
        between: String
    ) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let typed = page.shownCode.lowercased().replacing("-", with: between)
            let found = try await desk.approvals().find(typed: typed, bearer: phone, origin: origin())
            #expect(found.id == page.id)
            #expect(try await desk.approvals().scan(found.id, bearer: phone, origin: origin()).expiresIn == 120)
        }
    }

    @Test func `attack: of a hundred guesses of letters at once five are looked at`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        _ = try? await desk.approvals().find(typed: "BCDF-GHJK", bearer: phone, origin: origin())
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.events().count { $0 == "cross_device.refused unknown_code" } == 5)
        }
    }

    @Test func `attack: five wrong letters stop a user's search on every node, for a quarter of an hour`() async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            for _ in 0..<5 {
                #expect(
                    try await desk.refusal {
                        try await desk.approvals().find(typed: "BCDF-GHJK", bearer: phone, origin: origin())
                    } == "not_found")
            }
            let right = { try await desk.approvals().find(typed: page.shownCode, bearer: phone, origin: origin()) }
            #expect(try await desk.refusal(right) == "rate_limited")
            let other = try await desk.phone("other", of: "bob")
            let found = try await desk.approvals().find(typed: page.shownCode, bearer: other, origin: origin())
            #expect(found.id == page.id)
        }
    }
}
