import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// A report that does not come with the denial that ends a sign-in (contract §9).
@Suite struct PhoneSignInReportTests {
    @Test func `a report is an alarm although the phone had denied before it`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            _ = try await desk.scan(page, phone)
            try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin())
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            try await expectOneAlarm(desk)
        }
    }

    @Test func `a report is an alarm although its first answer was lost when the sign-in had ended`() async throws {
        try await withService { service in
            let uses = LosableUses(service.storage, losing: .answersToClaims)
            let desk = try PhoneDesk(service, uses: uses)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            _ = try await desk.scan(page, phone)
            await #expect(throws: StorageError.self) {
                try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            }
            uses.loss.withLock { $0 = .none }
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            try await expectOneAlarm(desk)
        }
    }

    @Test(arguments: [(true, false), (false, false), (false, true)])
    func `attack: whoever was reported voids no report by opening their page again`(
        deniedBefore: Bool, isApproved: Bool
    ) async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let scanned = try await desk.scan(page, phone)
            let digits = isApproved ? try await desk.approve(page, scanned, phone) : "000000"
            if deniedBefore {
                try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin())
            }
            _ = try await desk.node().begin(replacing: page.secret, origin: origin())
            #expect(try await desk.confirm(digits, page).word == "over: denied")
            #expect(try await desk.refusal { try await desk.approve(page, scanned, phone) } == "conflict")
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            #expect(try await service.events().count { $0 == "cross_device.denied" } == 1)
            try await expectOneAlarm(desk)
        }
    }

    @Test func `attack: whoever was reported voids no report by typing three wrong digits`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            for _ in 0..<3 { _ = try await desk.confirm(wrong(digits), page) }
            #expect(try await desk.state(page) == .locked)
            func deny(isReport: Bool) async throws -> String {
                try await desk.refusal {
                    try await desk.approvals().deny(page.id, isReport: isReport, bearer: phone, origin: origin())
                }
            }
            // It is over, and of that alone nobody need hear again.
            #expect(try await deny(isReport: false) == "conflict")
            #expect(try await deny(isReport: true) == "none")
            #expect(try await deny(isReport: true) == "conflict")
            #expect(try await desk.confirm(digits, page).word == "over: denied")
            #expect(try await service.events().contains { $0.hasPrefix("cross_device.denied") } == false)
            try await expectOneAlarm(desk)
        }
    }

    @Test func `attack: three wrong digits before another page void no report either`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            let digits = try await desk.approve(page, try await desk.scan(page, phone), phone)
            for _ in 0..<3 { _ = try await desk.confirm(wrong(digits), page) }
            _ = try await desk.node().begin(replacing: page.secret, origin: origin())
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            try await expectOneAlarm(desk)
        }
    }

    @Test func `a page that its browser has left can be scanned nowhere, whatever the other node's clock says`()
        async throws
    {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            desk.clock.advance(.seconds(5))
            _ = try await desk.node().begin(replacing: page.secret, origin: origin())
            desk.clock.advance(.seconds(-3))
            #expect(try await desk.refusal { try await desk.scan(page, phone) } == "not_found")
        }
    }

    @Test func `declining counts once as well after the computer's browser went on to another page`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            _ = try await desk.scan(page, phone)
            _ = try await desk.node().begin(replacing: page.secret, origin: origin())
            let decline = { try await desk.approvals().deny(page.id, isReport: false, bearer: phone, origin: origin()) }
            #expect(try await desk.refusal(decline) == "none")
            #expect(try await desk.refusal(decline) == "conflict")
        }
    }

    @Test func `a report that is said again is no second alarm`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin()
            _ = try await desk.scan(page, phone)
            let report = { try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin()) }
            #expect(try await desk.refusal(report) == "none")
            #expect(try await desk.refusal(report) == "conflict")
            try await expectOneAlarm(desk)
        }
    }

    @Test func `a report of an address of IPv6 keeps out its whole line, and not the line beside it`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let phone = try await desk.phone()
            let page = try await desk.begin(from: "2001:db8:0:1::20")
            _ = try await desk.scan(page, phone)
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            for (address, isOut) in [("2001:db8:0:1::99", true), ("2001:db8:0:2::20", false)] {
                let start = try await desk.node().begin(replacing: nil, origin: origin(address))
                if case .limited = start { #expect(isOut) } else { #expect(!isOut) }
            }
        }
    }

    private func expectOneAlarm(_ desk: PhoneDesk) async throws {
        #expect(try await desk.service.events().count { $0 == "cross_device.reported" } == 1)
        let next = try await desk.node().begin(replacing: nil, origin: origin())
        guard case .limited = next else { return #expect(Bool(false), "the computer begins another") }
    }
}
