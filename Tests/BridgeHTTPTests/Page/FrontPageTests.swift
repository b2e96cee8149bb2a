import Bridge
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import BridgeHTTP

/// Where somebody gets who types in the address alone.
@Suite struct FrontPageTests {
    @Test func `the front page leads to one's account, which asks to sign in first`() async throws {
        try await TestBridge.run { _, client in
            let front = try await client.send(.get, "/")
            #expect(front.status == .seeOther)
            #expect(front.headers[.location] == "\(TestBridge.publicOrigin)/account")
            #expect(front.headers[.cacheControl] == "no-store")
            let account = try await client.send(.get, "/account")
            #expect(account.status == .seeOther)
            #expect(account.headers[.location]?.contains("/sign-in?") == true)
        }
    }

    @Test func `what else is in its address goes nowhere`() async throws {
        try await TestBridge.run { _, client in
            let front = try await client.send(.get, "/?redirect=https://evil.example/")
            #expect(front.headers[.location] == "\(TestBridge.publicOrigin)/account")
            #expect(try await client.send(.post, "/").status == .methodNotAllowed)
        }
    }
}
