import Bridge
import BridgeHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OAuth2
import Testing

@testable import drawbridge

/// The API's description against the routes of a whole server, with everything switched on that can be.
@Suite struct DescribedRoutesTests {
    private static let methods: Set = ["get", "post", "put", "patch", "delete"]
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func compose() async throws -> (composition: Composition, storage: any BridgeStorage) {
        let settings = try folder.settingsOfEverything(
            "redemption_paths: [/login-with-token, /user/login-with-token.php]")
        let watch = AuditWatch()
        let storage = try await ServerStorage.open(settings, watch: watch, logger: Self.logger)
        let composition = try await Composition(
            settings: settings, storage: storage, accessLog: AccessLog { _ in }, logger: Self.logger,
            watch: watch)
        return (composition, storage)
    }

    /// Path and methods, as the descriptions of the API and of the console have them: each in one of the two.
    private func described() throws -> [String: Set<String>] {
        let paths = try [PublicFiles.apiDescription, PublicFiles.consoleDescription].flatMap { description in
            try #require(JSONValue.parse(description)?.object?["paths"]?.object)
        }
        return Dictionary(
            uniqueKeysWithValues: paths.map { path, operations in
                (path, Set((operations.object ?? [:]).keys).intersection(Self.methods))
            })
    }

    /// The router has no trailing slashes.
    private func routed(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    @Test func `every route is described, with its methods, and every described one is there`() async throws {
        let (composition, storage) = try await compose()
        let router = buildRouter(services: composition.services, settings: composition.httpSettings)
        let routes = Set(router.routes.map { $0.path.description })
        let described = try described()
        #expect(routes.subtracting(described.keys.map(routed)) == [], "undescribed")
        #expect(Set(described.keys.map(routed)).subtracting(routes) == [], "described, but not there")

        let application = Application(router: router, logger: Self.logger)
        try await application.test(.router) { client in
            // One answers every method alike.
            for (path, methods) in described where path != "/auth/check" {
                let concrete = path.replacing("{", with: "").replacing("}", with: "")
                let allowed = try await client.execute(uri: concrete, method: .options) { answer in
                    Set((answer.headers[.allow] ?? "").lowercased().split(separator: ", ").map(String.init))
                }
                #expect(allowed.intersection(Self.methods) == methods, "\(path)")
            }
        }
        await composition.ground.shared.close()
        try await storage.close()
    }
}
