import Bridge
import Testing

@testable import BridgeHTTP

@Suite struct OriginsTests {
    private static let texts = ["https://shop.example", "https://id.example", "https://admin.example"]

    @Test(
        arguments: [
            (nil, nil, [0]), (1, nil, [0, 1]), (nil, 2, [0, 2]), (1, 2, [0, 1, 2]), (0, 0, [0]), (1, 0, [0, 1]),
            (1, 1, [0, 1]),
        ] as [(Int?, Int?, [Int])])
    func `all origins are the website's, the provider's and the console's, each once`(
        issuer: Int?, admin: Int?, expected: [Int]
    ) throws {
        let known = try Self.texts.map { try #require(WebOrigin($0)) }
        let origins = Origins(website: known[0], issuer: issuer.map { known[$0] }, admin: admin.map { known[$0] })
        #expect(origins.all == expected.map { known[$0] })
        #expect(origins.areApart == (issuer != nil || admin != nil))
    }
}
