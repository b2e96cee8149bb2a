import NIOCore
import Synchronization
import Testing
import TestSupport

@testable import RedisStorage

@Suite(.timeLimit(.minutes(1))) struct RedisConnectionTests {
    private static func limits(_ change: (inout RedisLimits) -> Void = { _ in }) -> RedisLimits {
        var limits = RedisLimits()
        limits.connectTimeout = .seconds(5)
        limits.commandTimeout = .seconds(30)
        limits.stallTime = .seconds(30)
        change(&limits)
        return limits
    }

    /// Says nothing to `silent` and echoes the first word otherwise.
    private static let echo: FakeRedis.Answer = { $0[0] == "silent" ? nil : "+\($0[0])\r\n" }

    @Test func `a reply past its deadline is still taken, by nobody`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(limits: Self.limits { $0.commandTimeout = .milliseconds(100) })
            await #expect(throws: RedisConnectionError.timedOut) { try await connection.send([RedisCommand("silent")]) }
            await #expect(throws: RedisConnectionError.stalled) { try await connection.send([RedisCommand("a")]) }
            server.write("+late\r\n")
            try await eventually { (try? await connection.send([RedisCommand("b")])) == [.status("b")] }
            connection.close()
        }
    }

    @Test func `after a late reply the next one has its own time again`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(
                limits: Self.limits {
                    $0.commandTimeout = .milliseconds(100)
                    $0.stallTime = .seconds(300)
                })
            await #expect(throws: RedisConnectionError.timedOut) { try await connection.send([RedisCommand("silent")]) }
            server.write("+late\r\n")
            try await eventually { (try? await connection.send([RedisCommand("b")])) == [.status("b")] }
            await #expect(throws: RedisConnectionError.timedOut) { try await connection.send([RedisCommand("silent")]) }
            connection.close()
        }
    }

    @Test func `of a name's addresses the one that answers is used, whatever becomes of the others`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let ports = [Int(try FreePort.pick()), server.address.port]
            let addresses = SetAddresses(
                addresses: try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) })
            let connection = try await server.connect(limits: Self.limits(), by: addresses)
            let answer = try await connection.send([RedisCommand("a")])
            #expect(answer == [.status("a")])
            connection.close()
        }
    }

    @Test func `a server that owes replies for too long is given up`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(
                limits: Self.limits {
                    $0.commandTimeout = .milliseconds(50)
                    $0.stallTime = .milliseconds(50)
                })
            await #expect(throws: RedisConnectionError.timedOut) { try await connection.send([RedisCommand("silent")]) }
            await connection.waitUntilClosed()
            await #expect(throws: RedisConnectionError.closed) { try await connection.send([RedisCommand("a")]) }
        }
    }

    @Test func `more requests than allowed are refused at once`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(limits: Self.limits { $0.outstandingRequests = 5 })
            let results = await withTaskGroup(of: RedisConnectionError?.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        do { _ = try await connection.send([RedisCommand("silent")]) } catch {
                            return error as? RedisConnectionError
                        }
                        return nil
                    }
                }
                var results: [RedisConnectionError?] = [await group.next() ?? nil]
                connection.close()
                for await result in group { results.append(result) }
                return results
            }
            #expect(results.first == .queueFull)
            #expect(results.filter { $0 == .closed }.count >= 4)
        }
    }

    @Test func `a cancelled caller leaves at once, and the others get their own replies`() async throws {
        let (commands, arrivals) = AsyncStream.makeStream(of: String.self)
        let answer: FakeRedis.Answer = { command in
            arrivals.yield(command[0])
            // The reply that is owed comes in front of the next one.
            return command[0] == "silent" ? nil : "+late\r\n+\(command[0])\r\n"
        }
        try await FakeRedis.with(answer) { server in
            let connection = try await server.connect(limits: Self.limits())
            let cancelled = Task { try await connection.send([RedisCommand("silent")]) }
            for await command in commands where command == "silent" { break }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let reply = try await connection.send([RedisCommand("b")])
            #expect(reply == [.status("b")])
            connection.close()
        }
    }

    @Test func `many callers on one connection get their own replies`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(limits: Self.limits())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let names = ["a\(number)", "b\(number)"]
                        let replies = try await connection.send(names.map { RedisCommand($0) })
                        #expect(replies == names.map { .status($0) })
                    }
                }
                try await group.waitForAll()
            }
            connection.close()
        }
    }

    /// A caller that is resumed by an error and sends at once meets a connection that is dead: whoever enqueues there
    /// without noticing waits for ever.
    @Test func `callers that go on after a protocol error never hang`() async throws {
        let answered = Atomic(0)
        let answer: FakeRedis.Answer = { _ in
            answered.add(1, ordering: .relaxed).newValue % 20 == 10 ? "?garbage\r\n" : "+OK\r\n"
        }
        try await FakeRedis.with(answer) { server in
            let failures = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 {
                    let connection = try await server.connect(limits: Self.limits())
                    for _ in 0..<20 {
                        group.addTask {
                            var failures = 0
                            for _ in 0..<10 where (try? await connection.send([RedisCommand("x")])) == nil {
                                failures += 1
                            }
                            return failures
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(failures > 0)
        }
    }

    @Test func `an unasked reply ends the connection`() async throws {
        try await FakeRedis.with(Self.echo) { server in
            let connection = try await server.connect(limits: Self.limits())
            server.write("+unasked\r\n")
            await connection.waitUntilClosed()
            await #expect(throws: RedisConnectionError.closed) { try await connection.send([RedisCommand("a")]) }
        }
    }
}
