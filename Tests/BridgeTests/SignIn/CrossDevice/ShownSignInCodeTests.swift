import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Digits that a phone shows, typed beside a user name (docs/cross-device.md).
@Suite struct ShownSignInCodeTests {
    private func withDesk(_ body: (PhoneDesk) async throws -> Void) async throws {
        try await withService { service in
            let accounts = try SignInDesk(service)
            for name in ["alice", "bob"] { try await accounts.add(name) }
            try await body(try PhoneDesk(service))
        }
    }

    private func use(
        _ digits: String, of username: String = "alice", _ desk: PhoneDesk, from address: String = "203.0.113.7"
    )
        async throws -> String
    {
        switch try await desk.codes().use(digits, of: username, replacing: nil, origin: origin(address)) {
        case .signedIn(let opened): "signed in as \(opened.session.subject), \(opened.session.opening.rawValue)"
        case .handedOn: "handed on"
        case .notEnough: "not enough"
        case .noDigits: "no digits"
        case .refused: "refused"
        case .limited: "limited"
        }
    }

    private func show(_ desk: PhoneDesk, _ name: String = "alice") async throws -> String {
        let phone = try await desk.phone("phone of \(name)", of: Subject(rawValue: "sub-\(name)"))
        return try await desk.codes().show(bearer: phone, origin: origin()).digits.expose()
    }

    @Test func `digits sign their user in, once`() async throws {
        try await withDesk { desk in
            let digits = try await show(desk)
            #expect(try await desk.service.events().contains("cross_device.code_shown"))
            #expect(
                try await use(" \(digits.prefix(3)) \(digits.suffix(3))", desk) == "signed in as sub-alice, device_code"
            )
            #expect(try await use(digits, desk) == "refused")
        }
    }

    @Test func `who has no user name is shown no digits, and the log says why`() async throws {
        try await withDesk { desk in
            let nameless = Account(subject: "sub-nameless", username: nil, createdAt: noon)
            _ = try await desk.service.storage.addAccount(
                nameless, issuer: Account.issuer, link: nil,
                event: AuditEvent(at: noon, type: .userCreated, outcome: .success, subject: nameless.subject))
            let shown = try await desk.refusal { try await show(desk, "nameless") }
            #expect(shown == "access_denied")
            #expect(try await desk.reasons() == ["no_user_name"])
            #expect(try await desk.service.events().contains("cross_device.code_shown") == false)
        }
    }

    @Test(arguments: [("203.0.113.200", true), ("198.51.100.7", false)])
    func `where one network is asked for, digits are for the phone's`(address: String, isSignedIn: Bool) async throws {
        try await withDesk { desk in
            let codes = desk.codes(requiresSameNetwork: true)
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let digits = try await codes.show(bearer: phone, origin: origin("203.0.113.7")).digits.expose()
            let outcome = try await codes.use(digits, of: "alice", replacing: nil, origin: origin(address))
            if case .signedIn = outcome { #expect(isSignedIn) } else { #expect(!isSignedIn) }
            let events = try await desk.service.events()
            #expect(events.contains("cross_device.refused other_network") == !isSignedIn)
        }
    }

    @Test func `digits of one user are nothing for another, and an unknown name is the same refusal`() async throws {
        try await withDesk { desk in
            let digits = try await show(desk)
            #expect(try await use(digits, of: "bob", desk) == "refused")
            #expect(try await use(digits, of: "nobody", desk) == "refused")
            #expect(try await use(digits, of: "ALICE", desk) == "signed in as sub-alice, device_code")
        }
    }

    @Test func `digits are good for a minute, and new ones end those before`() async throws {
        try await withDesk { desk in
            let first = try await show(desk)
            var second = try await show(desk)
            if second == first { second = try await show(desk) }
            #expect(try await use(first, desk) == "refused")
            desk.clock.advance(.seconds(60))
            #expect(try await use(second, desk) == "refused")
        }
    }

    @Test func `attack: three wrong tries end a code, on every node`() async throws {
        try await withDesk { desk in
            let digits = try await show(desk)
            for _ in 0..<3 { #expect(try await use(wrong(digits), desk) == "refused") }
            #expect(try await use(digits, desk) == "refused")
        }
    }

    @Test func `what cannot be the digits is no try of code, user or network, whoever is named`() async throws {
        try await withDesk { desk in
            let digits = try await show(desk)
            for number in 0..<25 {
                let typed = ["", "   ", "12 34", "1234567", "abcdef"][number % 5]
                #expect(try await use(typed, of: number % 2 == 0 ? "alice" : "nobody", desk) == "no digits")
            }
            #expect(try await desk.reasons() == [])
            // Two of three: the code still stands after them.
            for _ in 0..<2 { #expect(try await use(wrong(digits), desk) == "refused") }
            #expect(try await use(digits, desk) == "signed in as sub-alice, device_code")
        }
    }

    @Test func `attack: whoever has used up the tries is not asked for digits either`() async throws {
        try await withDesk { desk in
            for number in 0..<20 {
                let outcome = try await use("000000", of: "user-\(number)", desk)
                #expect(outcome == "refused")
            }
            #expect(try await use("", of: "bob", desk) == "limited")
        }
    }

    @Test(arguments: ["arabic", "hyphen"])
    func `digits may be typed in another script, or with a hyphen`(form: String) async throws {
        try await withDesk { desk in
            let digits = try await show(desk)
            #expect(try await use(written(digits, form), desk) == "signed in as sub-alice, device_code")
        }
    }

    @Test func `attack: ten wrong digits for a user turn this way off for an hour, from wherever they come`()
        async throws
    {
        try await withDesk { desk in
            for number in 0..<10 {
                #expect(try await use("000000", desk, from: "198.51.\(number).1") == "refused")
            }
            let digits = try await show(desk)
            #expect(try await use(digits, desk) == "limited")
            desk.clock.advance(.seconds(3601))
            let fresh = try await desk.codes().show(
                bearer: desk.phone("phone of alice", of: "sub-alice"), origin: origin()
            ).digits.expose()
            #expect(try await use(fresh, desk) == "signed in as sub-alice, device_code")
        }
    }

    @Test func `attack: one network has twenty wrong tries in ten minutes, whomever they are for`() async throws {
        try await withDesk { desk in
            _ = try await show(desk)
            for number in 0..<20 { #expect(try await use("000000", of: "user-\(number)", desk) == "refused") }
            #expect(try await use("000000", of: "bob", desk) == "limited")
            #expect(try await use("000000", of: "bob", desk, from: "198.51.100.1") == "refused")
        }
    }

    @Test func `a computer that was reported is kept out here as well, right digits or not`() async throws {
        try await withDesk { desk in
            let phone = try await desk.phone("phone of alice", of: "sub-alice")
            let page = try await desk.begin(from: "198.51.100.20")
            _ = try await desk.scan(page, phone)
            try await desk.approvals().deny(page.id, isReport: true, bearer: phone, origin: origin())
            let digits = try await show(desk)
            #expect(try await use(digits, desk, from: "198.51.100.20") == "limited")
            // They were not looked at.
            #expect(try await use(digits, desk, from: "198.51.100.21") == "signed in as sub-alice, device_code")
        }
    }

    @Test func `digits are uniform over all that have six`() {
        let numbers = Mutex<[UInt32]>([4_294_967_295, 4_293_999_999, 7])
        let random = RandomSource { _ in
            let number = numbers.withLock { $0.removeFirst() }
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
        }
        #expect(random.sixDigits() == "999999", "the last incomplete million is thrown away")
        #expect(random.sixDigits() == "000007")
    }
}
