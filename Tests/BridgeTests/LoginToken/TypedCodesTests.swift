import OAuth2
import Testing

@testable import Bridge

/// `redeem: code` (contract §4.2): whoever has the link alone opens nothing.
@Suite struct TypedCodesTests {
    private let otherPlace = origin("198.51.100.9", userAgent: "Firefox")
    private let click = Visit(carrier: .form, formIsOurs: true, origin: .own)

    private func issue(_ service: Service) async throws -> (token: Secret<String>, code: String) {
        let answer = try await service.issue(LoginTokenIssueRequest(targetClientID: "typing"))
        return (answer.token, try #require(answer.typedCode).expose())
    }

    private func wrong(_ code: String, _ number: Int = 1) -> String {
        let digits = String(((Int(code) ?? 0) + number) % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    private func prompt(_ outcome: RedemptionOutcome) -> CodePrompt? {
        if case .confirm(submitsItself: false, let code) = outcome { code } else { nil }
    }

    @Test func `the code that the app shows opens the website, once`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            #expect(try await service.open(token, visit: click, code: code).word == "opened")
            #expect(try await service.open(token, visit: click, code: code, from: otherPlace).word == "refused")
            #expect(try await service.events().contains("login_token.replayed replayed"))
        }
    }

    @Test func `a scanner that submits forms uses nothing up, however often`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            for typed in [nil, ""] {
                #expect(prompt(try await service.open(token, visit: click, code: typed)) == .asked)
            }
            for typed in ["test@example.com", "12345", "1234567", "ABCDEF"] {
                #expect(prompt(try await service.open(token, visit: click, code: typed)) == .incomplete)
            }
            #expect(try await service.events() == ["login_token.issued"])
            #expect(try await service.open(token, visit: click, code: code).word == "opened")
        }
    }

    @Test func `no carrier goes without the code`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            let navigation = Visit(carrier: .query, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true)
            for visit in [navigation, Visit(carrier: .header), Visit(carrier: .form, fetchSite: Visit.FetchSite.none)] {
                #expect(prompt(try await service.open(token, visit: visit)) == .asked)
            }
            let byScript = Visit(carrier: .form, formIsOurs: true, submittedByScript: true, origin: .own)
            #expect(prompt(try await service.open(token, visit: byScript, code: code)) == .asked)
        }
    }

    @Test func `the fifth wrong code is the last`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            for number in 1...4 {
                #expect(prompt(try await service.open(token, visit: click, code: wrong(code, number))) == .wrong)
            }
            #expect(try await service.open(token, visit: click, code: wrong(code, 5)).word == "refused")
            #expect(try await service.open(token, visit: click, code: code).word == "refused")
            #expect(try await service.events().contains("login_token.refused wrong_code"))
            #expect(try await service.events().contains { $0.hasPrefix("web_session.opened") } == false)
        }
    }

    @Test func `a hundred guesses at once are five`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            let judged = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...100 {
                    group.addTask {
                        prompt(try await service.open(token, visit: click, code: wrong(code, number))) == .wrong
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(judged <= LimitSettings.typedCodeTries)
            #expect(try await service.open(token, visit: click, code: code).word != "opened")
        }
    }

    @Test func `another token's code is wrong`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            var other = try await issue(service).code
            while other == code { other = try await issue(service).code }
            #expect(prompt(try await service.open(token, visit: click, code: other)) == .wrong)
        }
    }

    @Test func `a repeat of the issue gives the same code`() async throws {
        try await withService { service in
            let request = LoginTokenIssueRequest(targetClientID: "typing", idempotencyKey: "one")
            let first = try await service.issue(request)
            let second = try await service.issue(request)
            #expect(first.typedCode?.expose() == second.typedCode?.expose())
        }
    }

    @Test func `a website's server needs the code too, and loses nothing without it`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            let client = try #require(service.clients.current["typing"])
            func redeem(_ typed: String?) async throws -> WebSession {
                try await service.redeemer.redeem(
                    BackChannelRedemption(
                        token: token, website: client, codeVerifier: nil, typedCode: typed, origin: origin()))
            }
            await #expect(throws: OAuthError.self) { try await redeem(nil) }
            await #expect(throws: OAuthError.self) { try await redeem(wrong(code)) }
            #expect(
                try await service.events().suffix(2) == [
                    "login_token.refused code_missing", "login_token.refused wrong_code",
                ])
            #expect(try await redeem(code).subject == "alice")
        }
    }

    @Test func `contract §4.4: what another website's server types uses up no try of the token's own`() async throws {
        try await withService { service in
            let (token, code) = try await issue(service)
            let other = try #require(service.clients.current["web"])
            for number in 1...LimitSettings.typedCodeTries + 1 {
                await #expect(throws: OAuthError.self) {
                    try await service.redeemer.redeem(
                        BackChannelRedemption(
                            token: token, website: other, codeVerifier: nil, typedCode: wrong(code, number),
                            origin: origin()))
                }
            }
            #expect(try await service.open(token, visit: click, code: code).word == "opened")
        }
    }

    @Test func `the token of another website has no code`() async throws {
        try await withService { service async throws in
            #expect(try await service.issue().typedCode == nil)
        }
    }

    @Test func `the code stands nowhere in the link or the log`() async throws {
        try await withService { service in
            let answer = try await service.issue(LoginTokenIssueRequest(targetClientID: "typing"))
            let code = try #require(answer.typedCode).expose()
            let payload = try #require(answer.token.expose().split(separator: ".").dropFirst().first)
            let read = String(decoding: try #require(Base64URL.decode(String(payload))), as: UTF8.self)
            #expect(read.contains(#""typed_code":"k1""#) && !read.contains(#""\#(code)""#))
            #expect(!answer.loginURL.expose().contains("login_code"))
        }
    }
}
