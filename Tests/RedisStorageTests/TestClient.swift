import Bridge
import Foundation
import Logging
import NIOCore
import NIOPosix

@testable import RedisStorage

enum TestClient {
    /// A client that has made its first attempt, closed after `body`.
    @discardableResult
    static func with<Result>(
        _ settings: RedisSettings, _ body: (RedisClient) async throws -> Result
    ) async throws -> Result {
        let client = RedisClient(
            settings: settings, group: MultiThreadedEventLoopGroup.singleton, logger: quiet)
        await client.waitForFirstAttempt()
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    /// Patient, since tests share a busy machine, and quick to come back.
    static func settings(_ address: RedisAddress) -> RedisSettings {
        var settings = RedisSettings(addresses: [address])
        settings.limits.commandTimeout = .seconds(5)
        settings.limits.connectTimeout = .seconds(5)
        settings.limits.longestBackoff = .milliseconds(200)
        return settings
    }

    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// Opens handles under a prefix of their own, so that each begins with nothing.
func uniquePrefix() -> String { "test-\(UUID().uuidString):" }
