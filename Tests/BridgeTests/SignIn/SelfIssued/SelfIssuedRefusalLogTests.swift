import OAuth2
import Testing

@testable import Bridge

/// What the log says of a phone's answer that was refused: whose, in which session, and why (docs/self-issued.md).
@Suite struct SelfIssuedRefusalLogTests {
    private func refused(_ service: Service) async throws -> [AuditEvent] {
        try await service.storage.search(AuditFilter(type: .selfIssuedRefused), before: nil, limit: 9)
            .records.map(\.event)
    }

    /// What a phone sends in the place of an ID token.
    private func answer(_ beginning: SelfIssuedSignIn.Beginning, error: String) throws -> FormParameters {
        try FormParameters(parsing: "state=\(beginning.state)&error=\(error)".utf8)
    }

    /// Through the browser that asked.
    private func isRefused(
        _ answer: FormParameters, at desk: SelfIssuedDesk, in current: WebSession? = nil
    ) async throws -> Bool {
        do {
            _ = try await desk.phone.finish(answer, browser: desk.browser, current: current, origin: origin())
            return false
        } catch is SelfIssuedRefusal {
            return true
        }
    }

    private func isRefused(fromElsewhere answer: FormParameters, at desk: SelfIssuedDesk) async throws -> Bool {
        do {
            try await desk.phone.receive(answer, origin: origin())
            return false
        } catch is SelfIssuedRefusal {
            return true
        }
    }

    @Test(
        arguments: [
            ("access_denied", "declined_on_phone", #"{"error":"access_denied"}"#),
            ("user_cancelled", "declined_on_phone", #"{"error":"user_cancelled"}"#),
            ("server_error", "op_error", #"{"error":"server_error"}"#),
            ("whatever+a+phone+likes", "op_error", nil),
        ] as [(String, String, String?)])
    func `what a person declined is told from what failed, and no word that is not known is kept`(
        error: String, reason: String, detail: String?
    ) async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let (here, elsewhere) = (try await desk.begin(), try await desk.begin())
            #expect(try await isRefused(try answer(here, error: error), at: desk))
            #expect(try await isRefused(fromElsewhere: try answer(elsewhere, error: error), at: desk))
            let events = try await refused(service)
            #expect(events.map(\.reason) == [reason, reason])
            #expect(events.map(\.detail) == [detail, detail])
        }
    }

    @Test func `who says it was not them is the user whose key answered`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            try await desk.phone.decline(beginning.state, browser: desk.browser, origin: origin())
            let event = try #require(try await refused(service).first)
            let thumbprint = try desk.thumbprint
            #expect(event.reason == "declined_in_browser" && event.subject == "sub-alice")
            #expect(event.detail == #"{"thumbprint":"\#(thumbprint)"}"#)
        }
    }

    @Test func `attack: whoever would pick up another's answer is put to the user whose answer it is`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            _ = try await desk.phone.pickUp(
                beginning.state, code: nil, browser: .make(.selfIssued, random: .system), current: nil,
                origin: origin())
            let event = try #require(try await refused(service).first)
            #expect(event.reason == "browser_mismatch" && event.subject == "sub-alice")
        }
    }

    @Test func `whoever wanted to link a key is named, though not signed in any more`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.accounts.add("alice")
            let (left, declined) = (
                try await desk.begin(linking: "sub-alice"), try await desk.begin(linking: "sub-alice")
            )
            #expect(try await isRefused(try desk.answer(left), at: desk))
            #expect(try await isRefused(try answer(declined, error: "access_denied"), at: desk))
            let events = try await refused(service)
            #expect(events.map(\.reason) == ["declined_on_phone", "not_signed_in"])
            #expect(events.map(\.subject) == ["sub-alice", "sub-alice"])
        }
    }

    @Test func `a key that may not be linked is put to the user and the session that wanted it`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked("bob")
            try await desk.accounts.add("alice")
            let session = try await desk.passwordSession()
            let beginning = try await desk.begin(linking: session.subject)
            #expect(try await isRefused(try desk.answer(beginning), at: desk, in: session))
            let event = try #require(try await refused(service).first)
            #expect(event.reason == "linked_elsewhere")
            #expect(event.subject == session.subject && event.sessionID == session.id)
        }
    }
}
