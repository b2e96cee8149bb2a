import Bridge
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct ConsoleAlertTests {
    @Test(arguments: AlertRule.Name.allCases)
    func `an alert leads to every type of event that it counts`(rule: AlertRule.Name) {
        let shown = Set(ConsoleFrame.searches(of: rule))
        #expect(shown == Set((rule.types ?? []).map { "type=\($0.rawValue)" }) || shown == ["outcome=failure"])
        #expect((rule.types == nil) == (shown == ["outcome=failure"]))
    }

    @Test func `a fault of one field marks no other whose name is part of it`() throws {
        let error = OAuthError(.invalidRequest, "post_logout_redirect_uris[0]: must be an https URL")
        let fault = try #require(ConsoleFault(error))
        #expect(fault.names("post_logout_redirect_uris"))
        #expect(!fault.names("redirect_uris"))
    }
}
