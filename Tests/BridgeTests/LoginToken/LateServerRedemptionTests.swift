import OAuth2
import Testing

@testable import Bridge

/// A website's server that was told to try again, and does when the token has run out meanwhile (contract §4.4).
@Suite struct LateServerRedemptionTests {
    private let faults = RedemptionFaults()
    /// RFC 7636, appendix B.
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// A redemption by a website's server whose commit was made and its answer lost, and whose token has run out since.
    private func late(
        _ service: Service, _ order: LoginTokenIssueRequest, verifier: String? = nil
    ) async throws -> (token: Secret<String>, code: String?) {
        let answer = try await service.issue(order)
        let code = answer.typedCode?.expose()
        faults.expect(.answerLost, .away)
        await #expect(throws: UndecidedRedemption.self) {
            try await redeem(
                service, answer.token, by: order.targetClientID.map { ClientID(rawValue: $0) }, verifier: verifier,
                code: code)
        }
        service.clock.advance(.seconds(30))
        return (answer.token, code)
    }

    private func redeem(
        _ service: Service, _ token: Secret<String>, by client: ClientID? = nil, verifier: String? = nil,
        code: String? = nil
    ) async throws -> WebSession {
        let site = try #require(service.clients.current[client ?? website])
        return try await service.redeemer.redeem(
            BackChannelRedemption(
                token: token, website: site, codeVerifier: verifier, typedCode: code, origin: origin()))
    }

    /// Whether the one session that was opened still lives.
    private func expectOneSession(_ service: Service, _ session: WebSession? = nil) async throws {
        let found = try await service.storage.sessions(of: "alice", before: nil, limit: 5)
        #expect(found.count == 1 && found.first?.endedAt == nil)
        if let session { #expect(found.first?.id == session.id) }
    }

    private var bound: LoginTokenIssueRequest {
        LoginTokenIssueRequest(ttl: 20, codeChallenge: challenge, codeChallengeMethod: "S256")
    }

    @Test func `with the verifier it gets the one session that its lost commit opened, once`() async throws {
        try await withService(faults: faults) { service async throws in
            let (token, _) = try await late(service, bound, verifier: verifier)
            try await expectOneSession(service, try await redeem(service, token, verifier: verifier))
            await #expect(throws: OAuthError.self) { try await redeem(service, token, verifier: verifier) }
            #expect(try await service.events().last == "login_token.refused expired")
            try await expectOneSession(service)
        }
    }

    @Test func `with the code that the app shows it gets it too`() async throws {
        try await withService(faults: faults) { service async throws in
            let (token, code) = try await late(service, LoginTokenIssueRequest(targetClientID: "typing", ttl: 20))
            try await expectOneSession(service, try await redeem(service, token, by: "typing", code: code))
        }
    }

    @Test func `attack: whoever lacks the verifier gets nothing, and takes nothing from the server`() async throws {
        try await withService(faults: faults) { service async throws in
            let (token, _) = try await late(service, bound, verifier: verifier)
            for wrong in [nil, String(verifier.reversed())] {
                await #expect(throws: OAuthError.self) { try await redeem(service, token, verifier: wrong) }
                #expect(try await service.events().last == "login_token.refused expired")
            }
            try await expectOneSession(service, try await redeem(service, token, verifier: verifier))
        }
    }

    @Test func `attack: another website's server gets nothing, whatever it shows, and takes nothing`() async throws {
        try await withService(faults: faults) { service async throws in
            let (token, _) = try await late(service, bound, verifier: verifier)
            await #expect(throws: OAuthError.self) {
                try await redeem(service, token, by: "cookies", verifier: verifier)
            }
            #expect(try await service.events().last == "login_token.refused expired")
            try await expectOneSession(service, try await redeem(service, token, verifier: verifier))
        }
    }

    @Test func `attack: codes are guessed at the pace of their limit, and in the log`() async throws {
        try await withService(faults: faults) { service async throws in
            let (token, code) = try await late(service, LoginTokenIssueRequest(targetClientID: "typing", ttl: 20))
            let right = try #require(code.flatMap { Int($0) })
            for number in 1...LimitSettings.typedCodeTries {
                let digits = String((right + number) % 1_000_000)
                let wrong = String(repeating: "0", count: 6 - digits.count) + digits
                await #expect(throws: OAuthError.self) {
                    try await redeem(service, token, by: "typing", code: wrong)
                }
                #expect(try await service.events().last == "login_token.refused wrong_code")
            }
            await #expect(throws: OAuthError.self) { try await redeem(service, token, by: "typing", code: code) }
        }
    }

    @Test func `attack: after its end a link that says everything by itself opens nothing, whoever brings it`()
        async throws
    {
        try await withService(faults: faults) { service async throws in
            let (token, _) = try await late(service, LoginTokenIssueRequest(ttl: 20))
            await #expect(throws: OAuthError.self) { try await redeem(service, token) }
            #expect(try await service.events().last == "login_token.refused expired")
            try await expectOneSession(service)
        }
    }

    @Test func `a commit that was not made is not made after the token's end`() async throws {
        try await withService(faults: faults) { service async throws in
            let token = try await service.issue(bound).token
            faults.expect(.commitLost, .away)
            await #expect(throws: UndecidedRedemption.self) { try await redeem(service, token, verifier: verifier) }
            service.clock.advance(.seconds(30))
            await #expect(throws: OAuthError.self) { try await redeem(service, token, verifier: verifier) }
            #expect(try await service.events().last == "login_token.refused expired")
            #expect(try await service.storage.sessions(of: "alice", before: nil, limit: 5).isEmpty)
        }
    }
}
