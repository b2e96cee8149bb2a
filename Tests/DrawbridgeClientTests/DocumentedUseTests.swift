import DrawbridgeClient
import Foundation
import Testing

/// What clients/swift/README.md shows, so that it compiles.
enum DocumentedUse {
    static func openContacts(bearer: String) async throws -> URL {
        let drawbridge = Drawbridge(
            configuration: try ClientConfiguration(
                issuer: IssuerAddress("https://www.example.com"), clientID: "phone-app"),
            store: MemorySecretStore())
        let link = try await drawbridge.openURL(path: "/contacts", bearer: Redacted(bearer))
        return link.url.expose()
    }

    static func openContacts(by drawbridge: Drawbridge, show: (String) -> Void) async throws -> URL {
        let link = try await drawbridge.openURL(path: "/contacts")
        // Never send it along with the link.
        if let code = link.code { show("Type \(code.expose()) into the page.") }
        return link.url.expose()
    }
}

@Suite struct DocumentedUseTests {
    @Test func `the example of the page sends nothing when the bearer is none`() async {
        await #expect(throws: ClientError.self) { try await DocumentedUse.openContacts(bearer: "two words") }
    }
}
