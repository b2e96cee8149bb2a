import Testing

@testable import SelfIssuedIdP

/// Codes by which a phone's key is linked to an account (docs/self-issued.md).
@Suite struct LinkCodeTests {
    private static let good =
        "https://example.com/api/self-issued/links?client_id=https://example.com/&nonce=12345678"

    /// A good code of so many bytes.
    private static func code(of length: Int) -> String {
        let head = good + "&more="
        return head + String(repeating: "a", count: length - head.utf8.count)
    }

    @Test func `a code names its website, however long it is up to 8192 bytes`() throws {
        for text in [Self.good, Self.code(of: 8192)] {
            let code = try LinkCode(text)
            #expect(code.website.description == "https://example.com")
            #expect(code.nonce == "12345678")
        }
    }

    @Test(
        arguments: [
            (code(of: 8193), .linkTooLong), ("", .linkMalformed),
            ("https://example.com/api/self-issued/links", .linkMalformed),
            ("http://example.com/links?client_id=https://example.com/&nonce=12345678", .linkMalformed),
            ("\(good)&more=%2", .linkMalformed), ("\(good)&nonce=12345678", .parameterRepeated),
            ("https://example.com/links?nonce=12345678", .parameterMissing),
            ("https://example.com/links?client_id=http://example.com/&nonce=12345678", .parameterMissing),
            ("https://evil.example/links?client_id=https://example.com/&nonce=12345678", .linkMalformed),
            ("https://example.com:444/links?client_id=https://example.com/&nonce=12345678", .linkMalformed),
            ("https://example.com/links?client_id=https://example.com/", .nonceLength),
            ("https://example.com/links?client_id=https://example.com/&nonce=1234567", .nonceLength),
            ("\(good)\(String(repeating: "9", count: 249))", .nonceLength),
        ] as [(String, PhoneRefusal.Reason)])
    func `a bad code is refused by name`(_ text: String, _ reason: PhoneRefusal.Reason) {
        let refusal = #expect(throws: PhoneRefusal.self) { try LinkCode(text) }
        #expect(refusal?.reason == reason)
    }

    private static func provider(_ store: KeysInMemory) -> SelfIssuedProvider {
        SelfIssuedProvider(transport: FakeWebsite(), store: store, consent: Decided.no, profile: .empty)
    }

    @Test func `who says no proves nothing, and no key is made`() async throws {
        let (store, code) = (KeysInMemory(), try LinkCode(Self.good))
        let proof = try await Self.provider(store).prove(for: code, nil) { _ in false }
        #expect(proof == nil)
        #expect(await !store.holds(code.website))
    }

    @Test func `a proof is for the website's own address, and is no ID token`() async throws {
        let (store, code) = (KeysInMemory(), try LinkCode(Self.good))
        let proof = try await Self.provider(store).prove(for: code, nil) { isFirstTime in isFirstTime }
        let text = try #require(proof).expose()
        let token = try #require(CompactJWS(text))
        #expect(token.claims["aud"] == "https://example.com/api/self-issued/links")
        #expect(token.claims["nonce"] == "12345678")
        #expect(token.claims["iss"] == nil && token.claims["sub"] == nil)
    }
}
