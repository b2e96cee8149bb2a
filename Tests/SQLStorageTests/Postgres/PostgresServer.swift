import Foundation
import Synchronization
import Testing
import TestSupport

@testable import SQLStorage

/// A PostgreSQL server of the tests' own, on a free port of loopback. It ends with the process that started it,
/// however that ends: a shell holds it for as long as its standard input is open.
final class PostgresServer: Sendable {
    struct Problem: Error, CustomStringConvertible { let description: String }

    /// One for all tests that leave it running.
    static func shared() async throws -> PostgresServer { try await sharedStart.value }
    private static let sharedStart = Task { try await start() }

    static let programs: String? = {
        let root = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
            .map { root.appending(path: "\($0)/bin").path }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Without a server the tests are skipped, but not in CI: there they fail.
    static var isWanted: Bool { programs != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    let port: UInt16
    let directory: URL
    private let holder: Process
    private let schemas = Mutex(0)

    /// - Parameters:
    ///   - settings: lines for the server's configuration file.
    ///   - primary: what it follows, until ``promote()``.
    static func start(
        settings: [String] = [], following primary: PostgresServer? = nil
    ) async throws -> PostgresServer {
        guard let programs else { throw Problem(description: "PostgreSQL's server programs are not installed") }
        let directory = FileManager.default.temporaryDirectory.appending(path: "drawbridge-pg-\(UUID().uuidString)")
        let port = try FreePort.pick()
        let lines = ["max_connections = 300", "shared_buffers = 32MB", "listen_addresses = '127.0.0.1'"] + settings
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/bin/bash")
        let source = primary.map { "\($0.port)" } ?? ""
        holder.arguments = [
            "-c", script, "sh", programs, directory.path, "\(port)", lines.joined(separator: "\n"), source,
        ]
        let output = Pipe()
        holder.standardInput = Pipe()
        holder.standardOutput = output
        try holder.run()
        let said = await firstLine(of: output)
        guard said == "ready" else {
            let log = (try? String(contentsOf: directory.appending(path: "server.log"), encoding: .utf8)) ?? ""
            throw Problem(description: "the server did not start: \(said) \(log)")
        }
        return PostgresServer(port: port, directory: directory, holder: holder)
    }

    private init(port: UInt16, directory: URL, holder: Process) {
        self.port = port
        self.directory = directory
        self.holder = holder
    }

    /// Ends the server and removes its files.
    func end() async {
        await withCheckedContinuation { continuation in
            holder.terminationHandler = { _ in continuation.resume() }
            (holder.standardInput as? Pipe)?.fileHandleForWriting.closeFile()
        }
    }

    /// Stops and starts the server.
    /// - Parameter mode: `fast`, or `immediate`, which is a crash.
    func restart(_ mode: String) async throws { try await control("restart", "-m", mode) }

    func stop(_ mode: String) async throws { try await control("stop", "-m", mode) }

    func startAgain() async throws { try await control("start") }

    /// Has one that followed another take over.
    func promote() async throws { try await control("promote") }

    private func control(_ arguments: String...) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            [
                "-c",
                Self.asServerUser
                    + #"cd "$2"; bin=$1; dir=$2; shift 2; as "$bin/pg_ctl" "$@" -w -s -D "$dir/data" -l "$dir/server.log""#,
                "sh", Self.programs ?? "", directory.path,
            ] + arguments
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw Problem(description: "pg_ctl \(arguments): status \(status)") }
    }

    /// An address with a schema of its own, so that each test sees an empty database.
    func emptySchema() throws -> PostgresAddress {
        let number = schemas.withLock { number in
            number += 1
            return number
        }
        _ = try administrator().run(SQLStatement("CREATE SCHEMA test_\(number)"))
        return try address("?options=-csearch_path%3Dtest_\(number)")
    }

    func address(_ parameters: String = "") throws -> PostgresAddress {
        try PostgresAddress("postgres://drawbridge@127.0.0.1:\(port)/postgres\(parameters)")
    }

    /// A connection to look at and disturb the server with.
    func administrator() throws -> PostgresSession { try PostgresSession.connected(to: try address()) }

    private static func firstLine(of pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
                continuation.resume(returning: line.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    // The server refuses to be run by root. What it inherits must not hold on to what tells us that its starter ended.
    private static let asServerUser = """
        as() {
            (
                for file in /proc/self/fd/*; do
                    if [ "${file##*/}" -gt 2 ]; then eval "exec ${file##*/}>&-"; fi
                done
                if [ "$(id -u)" != 0 ]; then exec "$@"; fi
                exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"
            )
        }

        """

    private static let script =
        asServerUser + """
            bin=$1 dir=$2 port=$3 settings=$4 primary=$5
            mkdir -m 700 "$dir" && cd "$dir" || exit 1
            if [ "$(id -u)" = 0 ]; then chown postgres: "$dir"; fi
            if [ -n "$primary" ]; then
                as "$bin/pg_basebackup" -h 127.0.0.1 -p "$primary" -U drawbridge -D "$dir/data" -R -X stream \
                    --checkpoint=fast -N >"$dir/log" 2>&1 || exit 1
            else
                as "$bin/initdb" -D "$dir/data" -U drawbridge -A trust -N -E UTF8 --locale=C.UTF-8 >"$dir/log" 2>&1 \
                    || exit 1
            fi
            printf '%s\\n' "$settings" "port = $port" "unix_socket_directories = '$dir'" >>"$dir/data/postgresql.conf"
            as "$bin/pg_ctl" start -w -s -D "$dir/data" -l "$dir/server.log" >/dev/null 2>&1 || exit 1
            echo ready
            cat >/dev/null
            as "$bin/pg_ctl" stop -w -s -m immediate -D "$dir/data" >/dev/null 2>&1
            rm -rf "$dir"
            """
}

extension PostgresSession {
    static func connected(to address: PostgresAddress) throws -> PostgresSession {
        let session = PostgresSession(
            address: address, applicationName: "test", timeouts: .service, logger: .silent)
        try session.connect()
        return session
    }
}
