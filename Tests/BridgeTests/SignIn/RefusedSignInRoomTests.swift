import Crypto
import OAuth2
import Testing

@testable import Bridge

/// Whether a refused sign-in is written down does not depend on whether there is such a user (contract §12).
@Suite struct RefusedSignInRoomTests {
    @Test func `while the log has no room for what anybody causes, a wrong password is left out, whoever's the name`()
        async throws
    {
        try await withService { service in
            let desk = try SignInDesk(service, ceiling: .fullForAnybody())
            try await desk.add("alice")
            for name in ["alice", "nobody"] {
                let outcome = try await desk.attempt(name, Secret("wrong"))
                #expect(outcome.word == "refused")
            }
            let failures = try await desk.failures()
            #expect(failures.isEmpty)
        }
    }

    @Test func `while the log has no room for what anybody causes, wrong digits are left out, whoever's the name`()
        async throws
    {
        try await withService { service in
            try await SignInDesk(service).add("alice")
            let desk = try PhoneDesk(service)
            let codes = desk.codes(ceiling: .fullForAnybody())
            for name in ["alice", "nobody"] {
                let outcome = try await codes.use("000000", of: name, replacing: nil, origin: origin())
                guard case .refused = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
            let reasons = try await desk.reasons()
            #expect(reasons.isEmpty)
        }
    }

    @Test func `while the log has no room for what anybody causes, a bad signature is left out`()
        async throws
    {
        try await PasskeyDesk.run(ceiling: .fullForAnybody()) { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            _ = try await desk.add(&authenticator, in: session)
            authenticator.key = .es256(P256.Signing.PrivateKey())
            let outcome = try await desk.attempt(authenticator)
            #expect(outcome.word == "refused")
            let reasons = try await desk.reasons(.userSignInFailed)
            #expect(reasons.isEmpty)
        }
    }
}
