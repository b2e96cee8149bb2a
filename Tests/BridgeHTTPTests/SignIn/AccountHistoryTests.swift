import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// What a user is told of the own account's past.
@Suite struct AccountHistoryTests {
    @Test func `a change of the password is found behind a page of the log full of other events`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            func event(_ type: AuditEventType) -> AuditEvent {
                AuditEvent(at: bridge.clock.now, type: type, outcome: .success, subject: "alice")
            }
            try await bridge.storage.append([event(.userPasswordChanged)])
            // More than a page of what a busy app leaves, none of which is shown.
            try await bridge.storage.append((0..<600).map { _ in event(.accessTokenIssued) })
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            #expect(page.contains("Password changed"))
            #expect(page.contains("Signed in"))
        }
    }

    @Test(arguments: [(19, false), (20, true)])
    func `that there are earlier events is said`(before: Int, isCut: Bool) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await bridge.storage.append(
                (0..<before).map { _ in
                    AuditEvent(at: bridge.clock.now, type: .userRenamed, outcome: .success, subject: "alice")
                })
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            #expect(page.matches(of: /Name or e-mail address changed/).count == 19)
            #expect(page.contains("The latest 20. Something") == isCut)
        }
    }

    @Test func `a log that was not read to its beginning is not called the whole`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            func event(_ type: AuditEventType) -> AuditEvent {
                AuditEvent(at: bridge.clock.now, type: type, outcome: .success, subject: "alice")
            }
            // As many as are read, none of which is shown.
            for _ in 0..<10 { try await bridge.storage.append((0..<500).map { _ in event(.accessTokenIssued) }) }
            let page = try await browser.get("/account").text
            #expect(page.contains("Nothing lately.") && !page.contains("Nothing yet."))
            try await bridge.storage.append([event(.userRenamed)])
            let later = try await browser.get("/account").text
            #expect(later.contains("The latest 1. Something") && !later.contains("Nothing lately."))
        }
    }

    @Test func `an attempt that was refused is told as one, in words`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await bridge.storage.append(
                [AuditEventType.userPasswordChanged, .userSecondFactorChanged].map {
                    AuditEvent(at: bridge.clock.now, type: $0, outcome: .failure, subject: "alice")
                })
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            for changed in ["Password changed", "Second factor changed"] { #expect(!page.contains(changed)) }
            for what in ["password", "second factor"] {
                #expect(page.contains("Somebody tried to change the \(what); it was refused"))
            }
        }
    }

    @Test func `a mistyped code of the second factor is told as one`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await bridge.storage.append([
                AuditEvent(
                    at: bridge.clock.now, type: .userSecondFactorChanged, outcome: .failure, reason: "wrong_code",
                    subject: "alice")
            ])
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            #expect(page.contains("A wrong code was entered for the second factor"))
            #expect(!page.contains("Somebody tried to change"))
        }
    }

    @Test func `a recovery code that was used is told as one, with what is left`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            func event(_ detail: String) -> AuditEvent {
                AuditEvent(
                    at: bridge.clock.now, type: .userSecondFactorChanged, outcome: .success, subject: "alice",
                    detail: detail)
            }
            try await bridge.storage.append([
                event(#"{"change":"removed"}"#), event(#"{"change":"recovery_code_used","recovery_codes_left":"7"}"#),
            ])
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            #expect(page.contains("A recovery code was used; left: 7"))
            #expect(page.contains("Second factor removed") && !page.contains("Second factor changed"))
        }
    }

    @Test func `each change of the second factor is told in words of its own`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await bridge.storage.append(
                SecondFactorChange.allCases.map {
                    AuditEvent(
                        at: bridge.clock.now, type: .userSecondFactorChanged, outcome: .success, subject: "alice",
                        detail: #"{"change":"\#($0.rawValue)","recovery_codes_left":"9"}"#)
                })
            let browser = TestBrowser(client)
            #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
            let page = try await browser.get("/account").text
            let rows = page.matches(of: #/<li><div><div class="name"><strong>([^<]+)</strong>/#).map { String($0.1) }
            let told = Set(rows).subtracting(["Signed in"])
            #expect(told.count == SecondFactorChange.allCases.count && !told.contains("Second factor changed"))
            #expect(told.isSuperset(of: ["Second factor turned on", "New recovery codes made"]))
        }
    }

    @Test func `a session that came by a link is not told that nothing happened`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let page = try await client.send(.get, "/account", [.cookie: client.signIn()])
            #expect(page.status == .ok && page.text.contains("id=\"again\""))
            #expect(!page.text.contains("What happened") && !page.text.contains("Nothing yet."))
        }
    }
}
