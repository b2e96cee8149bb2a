import BridgeHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite struct DescriptionTests {
    private static let methods: Set = ["get", "post", "put", "patch", "delete"]

    /// The operations of both descriptions by path.
    private static func described(_ client: any TestClientProtocol) async throws -> [String: [String: Any]] {
        var paths: [String: [String: Any]] = [:]
        for description in ["/openapi.json", "/openapi-console.json"] {
            let answer = try await client.send(.get, description)
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.readableBytesView)) as? [String: Any])
            paths.merge(try #require(document["paths"] as? [String: [String: Any]])) { _, _ in [:] }
        }
        return paths
    }

    @Test func `every route is described`() async throws {
        try await TestBridge.run { bridge, client in
            let router = buildRouter(services: bridge.services, settings: bridge.settings)
            let routes = Set(router.routes.map { $0.path.description })
            let paths = try await Self.described(client)
            let described = Set(paths.keys.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
            #expect(routes.subtracting(described) == [])
        }
    }

    @Test func `a route takes the methods that are described, and no others`() async throws {
        try await TestBridge.run { bridge, client in
            let paths = try await Self.described(client)
            let router = buildRouter(services: bridge.services, settings: bridge.settings)
            let routes = Set(router.routes.map { $0.path.description })
            for (path, operations) in paths where routes.contains(path) && path != "/auth/check" {
                let allowed = try await client.send(.options, path.replacing("{", with: "").replacing("}", with: ""))
                let methods = Set((allowed.headers[.allow] ?? "").lowercased().split(separator: ", ").map(String.init))
                // Beside them a path may say when it is there (`x-configured`).
                #expect(methods.intersection(Self.methods) == Self.methods.intersection(operations.keys), "\(path)")
            }
        }
    }
}
