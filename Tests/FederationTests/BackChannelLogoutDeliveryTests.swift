import Bridge
import Federation
import HTTPTypes
import Testing

/// How a client's answer to a logout token is read (OpenID Connect Back-Channel Logout §2.8).
@Suite struct BackChannelLogoutDeliveryTests {
    @Test(
        arguments: [
            (200, .accepted), (204, .accepted), (302, .refused(status: 302)), (400, .refused(status: 400)),
            (500, .failed(status: 500)), (503, .failed(status: 503)),
        ] as [(Int, LogoutDeliveryOutcome)])
    func `an answer is told apart from none`(status: Int, outcome: LogoutDeliveryOutcome) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/logout", with: .init(status: .init(code: status)))
            let found = await BackChannelLogout().deliver(
                Secret("token"), to: "\(origin)/logout", timeout: .seconds(10))
            #expect(found == outcome)
            #expect(server.received.map(\.body) == ["logout_token=token"])
        }
    }

    @Test func `where nobody listens there is no status`() async {
        let found = await BackChannelLogout().deliver(
            Secret("token"), to: "http://127.0.0.1:1/logout", timeout: .seconds(10))
        #expect(found == .failed(status: nil))
    }
}
