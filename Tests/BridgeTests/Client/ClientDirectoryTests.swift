import Testing

@testable import Bridge

@Suite struct ClientDirectoryTests {
    @Test func `it knows whose cookies have which prefix`() throws {
        func cookies(_ id: ClientID, prefix: String) -> Client {
            var client = Client(id: id, name: "Cookies", kind: .web)
            client.cookieProfile = .tokens
            client.cookiePrefix = prefix
            return client
        }
        let directory = ClientDirectory(
            try testClients() + [cookies("b", prefix: "x-"), cookies("a", prefix: "x-")], defaultTarget: website)
        #expect(directory.tokenCookieClients == ["": ["cookies"], "x-": ["a", "b"]])
        #expect(directory.tokenCookiePrefixes == ["", "x-"])
    }
}
