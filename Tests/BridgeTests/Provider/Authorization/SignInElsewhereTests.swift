import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

/// Where a sign-in by another device is offered to a website's visitor: nowhere where it could not be enough (contract
/// §16.2, §16.3).
@Suite struct SignInElsewhereTests {
    /// The ways that may answer a request of the website `site`.
    /// - Parameters:
    ///   - reach: what the app may open.
    ///   - home: the default website.
    private func ways(
        prompt: String? = nil, maximumAge: String? = nil, claims: String? = nil,
        reach: Set<ClientID> = ["home", "site"], home: ClientID = "home", mayIssue: Bool = true,
        change: (inout Client) -> Void = { _ in }
    ) throws -> Set<SignInElsewhere> {
        let site = try AuthorizationFixture.website(change: change)
        let request = try AuthorizationFixture.request(
            [
                "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "prompt": prompt,
                "max_age": maximumAge, "claims": claims,
            ], client: site)
        let directory = ClientDirectory(
            [
                site, Client(id: "home", name: "Home", kind: .web),
                Client(
                    id: "phone", name: "The app", kind: .native, canIssueLoginTokens: mayIssue, mayReach: reach),
            ], defaultTarget: home)
        return Set(SignInElsewhere.allCases.filter { request.mayBeAnswered(by: $0, in: directory, at: noon) })
    }

    @Test func `a phone's key is enough for the default website alone, an app for what it may open`() throws {
        #expect(try ways() == [.app])
        #expect(try ways(home: "site") == [.app, .phoneKey])
    }

    @Test func `an app that may not open the website, or not approve, is not enough`() throws {
        #expect(try ways(reach: ["home"]).isEmpty)
        #expect(try ways(reach: ["site"]).isEmpty, "who approves opens the default website")
        #expect(try ways(mayIssue: false).isEmpty)
    }

    @Test(arguments: ["login", "select_account"])
    func `where the user has to sign in now, the sign-in in an app is too old`(prompt: String) throws {
        #expect(try ways(prompt: prompt).isEmpty)
        #expect(try ways(prompt: prompt, home: "site") == [.phoneKey])
    }

    @Test func `an app is not enough for an age that is less than the way takes`() throws {
        #expect(try ways(maximumAge: "1").isEmpty)
        #expect(try ways(maximumAge: "3600") == [.app])
    }

    @Test func `where two factors are wanted a phone's key is not enough, and an app may be`() throws {
        let essential = #"{"id_token":{"acr":{"essential":true,"value":"aal2"}}}"#
        #expect(try ways(claims: essential, home: "site") == [.app])
        #expect(try ways(home: "site", change: { $0.minimumACR = "aal2" }) == [.app])
    }

    @Test func `to an app's request no other device is enough`() throws {
        let request = try AuthorizationFixture.request()
        let directory = ClientDirectory(
            [
                try AuthorizationFixture.native(),
                Client(id: "phone", name: "The app", kind: .native, canIssueLoginTokens: true, mayReach: ["native"]),
            ], defaultTarget: nil)
        for way in SignInElsewhere.allCases {
            #expect(!request.mayBeAnswered(by: way, in: directory, at: noon), "\(way)")
        }
    }
}
