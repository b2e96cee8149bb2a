import OAuth2
import Testing

@testable import Bridge

/// The links that lead to a phone's app (docs/self-issued.md).
@Suite struct SelfIssuedLinkTests {
    private static let state = "Zm9vYmFyYmF6cXV4MTIzNA"
    private static let nonce = "AAECAwQFBgcICQoLDA0ODw"

    private static func configuration(isLinkClaimed: Bool) throws -> SelfIssuedConfiguration {
        var configuration = SelfIssuedConfiguration(
            clientID: SelfIssuedDesk.site, origin: try #require(WebOrigin("https://bridge.example")),
            siteName: "Example")
        configuration.isLinkClaimed = isLinkClaimed
        return configuration
    }

    @Test(arguments: SelfIssuedLinkForm.allCases, [false, true])
    func `attack: whichever app takes an intent finds the claimed link's nonce nowhere in it`(
        form: SelfIssuedLinkForm, acrossDevices: Bool
    ) throws {
        let configuration = try Self.configuration(isLinkClaimed: true)
        let intent = configuration.intentLink(
            form, state: Self.state, nonce: Self.nonce, acrossDevices: acrossDevices)
        let own = configuration.schemeNonce(for: Self.nonce)
        #expect(!intent.contains(Self.nonce))
        #expect(intent.contains("nonce=\(own)"))
        #expect(intent.contains("nonce%3D\(own)"))
        // The page that a browser falls back to has that nonce, and offers the same link again.
        #expect(
            configuration.intentLink(form, state: Self.state, nonce: own, acrossDevices: acrossDevices) == intent)
        #expect(configuration.openLink(state: Self.state, nonce: Self.nonce).contains("nonce=\(Self.nonce)"))
    }

    @Test func `where no app claims our links both have the same nonce`() throws {
        let configuration = try Self.configuration(isLinkClaimed: false)
        let intent = configuration.intentLink(.auto, state: Self.state, nonce: Self.nonce)
        #expect(intent.contains("nonce=\(Self.nonce)"))
        #expect(intent.contains("nonce%3D\(Self.nonce)"))
    }
}
