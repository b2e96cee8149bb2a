import Bridge
import Foundation
import Testing

@testable import Federation

@Suite struct EndpointURLTests {
    /// Whether a client may register it as its `jwks_uri`.
    private func isRegistered(_ url: String) throws -> Bool {
        let document = [
            "client_id": "machine", "client_type": "service", "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": url,
        ]
        let json = try JSONEncoder().encode(document)
        do {
            return try JSONDecoder().decode(ClientDocument.self, from: json).client.keysURI == url
        } catch is ClientDocumentError {
            return false
        }
    }

    /// Keys at an address that could not be read would count as if the client had none.
    @Test(arguments: [
        ("https://keys.example", true), ("https://keys.example/", true), ("https://keys.example/jwks?x=1", true),
        ("https://keys.example?x=1", true), ("https://keys.example:8443?x=/", true), ("https://keys.example/%2F", true),
        ("https://[2001:db8::1]/jwks?a[]=1", true), ("http://127.0.0.1:8080?x", true), ("http://localhost/jwks", true),
        ("https://keys.example/!$&'()*+,;=:@", true), ("http://keys.example/jwks", false),
        ("https://keys.example#x", false), ("https://keys.example?x#y", false), ("https://u@keys.example/", false),
        ("https://keys.example\\x", false), ("https://keys.example:443/", false), ("https://Keys.example/", false),
        ("https://keys.example/a b", false), ("https://keys.example/é", false), ("https://?x=1", false),
        ("https:", false),
    ])
    func `what a client registers for its keys is what can be fetched`(url: String, isTaken: Bool) throws {
        #expect(try isRegistered(url) == isTaken)
        #expect((EndpointURL(url) != nil) == isTaken)
    }

    @Test func `an address without a path is asked for, with its query, and none may be where there must be none`()
        async throws
    {
        #expect(EndpointURL("https://keys.example?x=1", allowingQuery: false) == nil)
        try await IssuerServer.run { server, origin in
            server.answer("/", json: Array("{}".utf8))
            let url = try #require(EndpointURL("\(origin)?x=1"))
            #expect(url.origin == origin)
            _ = try await IssuerConnection(limits: FetchLimits()).get(url)
            #expect(server.count(of: "/") == 1)
        }
    }
}
