import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import Testing

/// Forms of one's own account that come when their session is over: nobody takes them for done.
@Suite struct LostFormTests {
    @Test(arguments: ["password", "second-factor", "passkeys", "consents"])
    func `a form of the account without a session leads to the sign-in, which says that nothing was changed`(
        page: String
    ) async throws {
        try await TestBridge.run { _, client in
            let browser = TestBrowser(client)
            let answer = try await browser.post("/account/\(page)", [("what", "remove")])
            let signIn = TestBridge.publicOrigin + "/sign-in?redirect=%2Faccount%2F\(page)"
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == signIn + "&notice=not_done")
            let told = try await browser.follow(answer).text
            #expect(told.contains("You were signed out meanwhile; nothing was changed."))
            let asked = try await browser.open("/account/\(page)").text
            #expect(!asked.contains("You were signed out meanwhile"))
        }
    }
}
