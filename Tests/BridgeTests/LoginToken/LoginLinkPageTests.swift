import BridgeTestSupport
import Foundation
import OAuth2
import Testing

@testable import Bridge

/// Contract §4.3: where a login link leads.
@Suite struct LoginLinkPageTests {
    @Test(arguments: [
        ("https://shop.example", "", "https://shop.example/login-with-token"),
        (
            "https://shop.example", #","redirect_uris":["https://shop.example/cb"]"#,
            "https://bridge.example/login-with-token"
        ),
        ("https://shop.example", #","redemption_page":"/in.php""#, "https://shop.example/in.php"),
        (
            "https://shop.example", #","redemption_page":"/in.php","redirect_uris":["https://shop.example/cb"]"#,
            "https://shop.example/in.php"
        ),
        ("https://bridge.example:8443", "", "https://bridge.example/login-with-token"),
        ("https://bridge.example:8443", #","redemption_page":"/in.php""#, "https://bridge.example:8443/in.php"),
        (
            "https://www.bridge.example", #","cookie_profile":"tokens","cookie_domain":".bridge.example""#,
            "https://bridge.example/login-with-token"
        ),
        (
            "https://www.shop.example", #","cookie_profile":"tokens","cookie_domain":".shop.example""#,
            "https://www.shop.example/login-with-token"
        ),
    ])
    func `a link leads to where what it opens is seen, or to the website's own page`(
        origin: String, members: String, link: String
    ) async throws {
        let document =
            #"{"client_id":"confirming","client_type":"web","return_paths":["/"],"default_return_path":"/","#
            + "\"public_origin\":\"\(origin)\"\(members)}"
        let site = try JSONDecoder().decode(ClientDocument.self, from: Data(document.utf8)).client
        try await withService { service in
            service.clients.add(site)
            let answer = try await service.issue(LoginTokenIssueRequest(targetClientID: "confirming"))
            #expect(answer.loginURL.expose() == "\(link)?token=\(answer.token.expose())")
        }
    }

    private static let callback = #","redirect_uris":["https://shop.example/cb"]"#

    @Test(arguments: [
        ("https://shop.example", callback, "https://id.example/login-with-token"),
        ("https://shop.example", "", "https://shop.example/login-with-token"),
        ("https://shop.example", callback + #","redemption_page":"/in.php""#, "https://shop.example/in.php"),
        // Its cookies are those at our own origin, of which it may ask us.
        ("https://bridge.example:8443", callback, "https://bridge.example/login-with-token"),
        // No authorization request is answered by these.
        ("https://shop.example", callback + #","cookie_profile":"tokens""#, "https://bridge.example/login-with-token"),
    ])
    func `contract §4.5: where the provider has an origin of its own, links of relying parties elsewhere are there`(
        origin: String, members: String, link: String
    ) throws {
        let document =
            #"{"client_id":"shop","client_type":"web","return_paths":["/"],"default_return_path":"/","#
            + "\"public_origin\":\"\(origin)\"\(members)}"
        let site = try JSONDecoder().decode(ClientDocument.self, from: Data(document.utf8)).client
        let ours = try #require(WebOrigin("https://bridge.example"))
        let issuer = try #require(WebOrigin("https://id.example"))
        func page(isHandOff: Bool) -> String {
            LoginLinkPage.of(site, isHandOff: isHandOff, publicOrigin: ours, issuer: issuer).description
        }
        #expect(page(isHandOff: false) == link)
        #expect(page(isHandOff: true) == "\(origin)/login-with-token")
    }
}
