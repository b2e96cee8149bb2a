import Bridge
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import BridgeHTTP

/// What people are told whose phone's answer was refused.
@Suite struct SelfIssuedPageTests {
    @Test func `the page that an answer comes back to says what the page of a refusal says`() async throws {
        let texts = try PageTexts(files: PublicFiles.embedded.section("texts"))
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/self-issued/callback").text
            let named = SelfIssuedRefusal.Reason.allCases.filter { $0.textKey != "failed" }
            #expect(named.count == 6)
            for reason in named {
                let words = Pages.escape(texts.text("self_issued", reason.textKey, in: "en"))
                #expect(page.contains(#"<p id="\#(reason.rawValue)" hidden>\#(words)</p>"#), "\(reason)")
            }
        }
    }
}
