import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A password that was right, and waits, when all that could sign its user in ends (contract §7).
@Suite struct WaitingPasswordTests {
    private static let ends = [EndingRoot.user("sub-alice"), .unused(of: "sub-alice")]

    @Test(arguments: ends)
    func `attack: a password from before an end of everything is completed by no code`(root: EndingRoot) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            let secret = Array("12345678901234567890".utf8)
            let sealed = try desk.secrets.seal(secret, for: "sub-alice")
            try await desk.add("alice", factor: SecondFactor(sealedSecret: sealed))
            let code = OneTimeCode.code(secret: secret, step: OneTimeCode.step(at: noon))
            func confirm(_ pending: String) async throws -> String {
                try await desk.signIn.confirm(
                    pending: pending, code: code, browser: desk.browser, replacing: nil, origin: origin()
                ).word
            }
            let before = try #require(try await desk.attempt("alice").pending)
            _ = try await service.endings.end(root, .sample(at: noon))
            #expect(try await confirm(before) == "stale")
            // That did not use the code up.
            let after = try #require(try await desk.attempt("alice").pending)
            #expect(try await confirm(after) == "signed in")
        }
    }

    @Test(arguments: ends)
    func `a password that was checked just before an end of everything opens nothing`(root: EndingRoot) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            let checked = try #require(try await service.storage.account(of: "sub-alice"))
            _ = try await service.endings.end(root, .sample(at: noon))
            let outcome = try await desk.signIn.open(
                checked, Authentication(time: noon, acr: "aal1", amr: ["pwd"]), replacing: nil, origin: origin(),
                at: noon)
            #expect(outcome.word == "stale")
            #expect(try await desk.failures() == ["stale"])
        }
    }
}
