import Bridge
import Foundation
import NIOCore
import NIOPosix
import Testing
import TestSupport

@testable import RedisStorage

/// A real server of its own for one test, on a free port, in a folder that goes away with it.
final class RedisServer: Sendable {
    /// The binary; `nil` where none is installed.
    static let binary: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/redis-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Without a server the tests are skipped, but not in CI: there they must fail.
    static let isExpected = binary != nil || ProcessInfo.processInfo.environment["CI"] == "true"

    let port: Int
    let folder: URL
    private let arguments: [String]
    private let configuration: String?
    private let process: ProcessBox

    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

    /// - Parameters:
    ///   - arguments: as on the command line; `{port}` stands for the server's port.
    ///   - configuration: text of a file, for servers that insist on one.
    init(_ arguments: [String] = [], configuration: String? = nil) throws {
        port = Int(try FreePort.pickOfTwo())
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.arguments = arguments
        self.configuration = configuration
        process = ProcessBox()
        try launch()
    }

    /// Starts the process. The second time it starts with what it finds in its folder, which is nothing: it never saves.
    func launch() throws {
        guard let binary = Self.binary else { throw Missing() }
        let folder = folder.path
        var all: [String] = []
        if let configuration {
            let path = "\(folder)/redis.conf"
            try configuration.write(toFile: path, atomically: true, encoding: .utf8)
            all.append(path)
        }
        all += ["--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--logfile", "log"]
        all += arguments.map { $0.replacingOccurrences(of: "{port}", with: "\(port)") }
        try process.launch(binary, all)
    }

    /// `kill -9`.
    func kill() { process.kill() }

    func remove() {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs one command on a connection of its own, as an administrator would.
    @discardableResult
    func run(_ arguments: String..., credentials: RedisCredentials? = nil, tls: RedisTLS? = nil) async throws
        -> RedisReply
    {
        var settings = RedisSettings(addresses: [address])
        settings.credentials = credentials
        settings.tls = tls
        settings.limits.commandTimeout = .seconds(5)
        let connector = RedisConnector(settings: settings, group: MultiThreadedEventLoopGroup.singleton)
        let connection = try await connector.connect(to: address)
        defer { connection.close() }
        return try await connection.send([RedisCommand(arguments)])[0]
    }

    /// Returns when the server takes commands.
    func waitUntilUp() async throws {
        try await eventually { (try? await self.run("PING")) == .status("PONG") }
    }

    /// Starts a server, runs `body` and takes everything away.
    static func with(
        _ arguments: [String] = [], _ body: (RedisServer) async throws -> Void
    ) async throws {
        let server = try RedisServer(arguments)
        defer { server.remove() }
        try await server.waitUntilUp()
        try await body(server)
    }

    /// Who may do everything on the server of ``withUser(_:_:)``.
    private static let administrator = RedisCredentials(user: nil, password: Secret("root-password"))

    /// As ``with(_:_:)``, for a server without a way in but by passwords, where the user `web` has these rights, on the
    /// service's keys and channels alone.
    static func withUser(_ rights: [String], _ body: (RedisServer) async throws -> Void) async throws {
        let server = try RedisServer(
            [
                "--requirepass", "root-password", "--user", "web", "on", ">web-password", "~drawbridge:*",
                "&drawbridge:*",
            ] + rights)
        defer { server.remove() }
        try await eventually { (try? await server.run("PING", credentials: administrator)) == .status("PONG") }
        try await body(server)
    }

    struct Missing: Error, CustomStringConvertible {
        let description = "there is no redis-server in PATH"
    }
}

extension Trait where Self == ConditionTrait {
    static var needsRedis: Self { .enabled(if: RedisServer.isExpected, "there is no redis-server in PATH") }
}
