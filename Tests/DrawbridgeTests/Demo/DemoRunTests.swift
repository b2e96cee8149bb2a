import Bridge
import Foundation
import FoundationNetworking
import Glibc
import Logging
import ServiceLifecycle
import Testing

@testable import drawbridge

/// The demo with its listeners, from its start to its end.
@Suite struct DemoRunTests {
    private struct Announcement: Sendable {
        let facts: DemoFacts
        let guide: DemoGuide
    }

    private struct Running: Service {
        let demo: DemoInstance
        let announce: AsyncStream<Announcement>.Continuation

        func run() async throws {
            defer { announce.finish() }
            try await demo.run(in: await ServingProcess()) { announce.yield(Announcement(facts: $0, guide: $1)) }
        }
    }

    private static func status(of url: String) async throws -> Int? {
        let address = try #require(URL(string: url))
        return (try await URLSession.shared.data(from: address).1 as? HTTPURLResponse)?.statusCode
    }

    @Test func `the demo announces itself once it answers, and a stop leaves nothing open`() async throws {
        let folder = try TemporaryFolder()
        // Below the range that the system hands out, or another process could be given one before the demo listens.
        let port = try FreePort.pick(host: "127.0.0.1", startingAt: Int.random(in: 10_000..<11_000))
        let management = try FreePort.pick(host: "127.0.0.1", startingAt: Int.random(in: 11_000..<12_000))
        let demo = try await DemoInstance(
            folder: try DemoFolder(named: folder.path),
            listen: (
                ListenAddress(host: "127.0.0.1", port: port), ListenAddress(host: "127.0.0.1", port: management)
            ),
            issuer: nil, hasLimits: true)
        let (announcements, announce) = AsyncStream.makeStream(of: Announcement.self)
        let group = ServiceGroup(
            services: [Running(demo: demo, announce: announce)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let end: Void = group.run()
        var announced: [Announcement] = []
        for await announcement in announcements {
            announced.append(announcement)
            #expect(try await Self.status(of: announcement.facts.managementURL + "/readyz") == 200)
            #expect(try await Self.status(of: announcement.facts.baseURL + "/contacts") == 200)
            await group.triggerGracefulShutdown()
        }
        try await end
        let only = try #require(announced.first)
        #expect(announced.count == 1)
        #expect(only.facts.baseURL == "http://127.0.0.1:\(port)")
        #expect(only.guide.text.contains(only.facts.baseURL + "/admin/"))
        #expect(only.guide.text.contains("--data \(folder.path)"))
        let told = await RanCommand(["audit", "search", "--data", folder.path, "--format", "jsonl"])
        #expect(told.lines.first?.contains("node.stopped") == true, "the end is the newest event")
        #expect(told.output.contains("node.started"))
    }

    @Test func `a port that is taken is not picked, and a host that is not ours has none`() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isBound)
        let taken = Int(in_port_t(bigEndian: address.sin_port))
        #expect(try FreePort.pick(host: "127.0.0.1", startingAt: taken) != taken)
        #expect(try FreePort.pick(host: "localhost", startingAt: 70_000) <= 65_535)
        #expect(throws: FreePortError.self) { try FreePort.pick(host: "203.0.113.1") }
        #expect(throws: FreePortError.self) { try FreePort.pick(host: "nonsense") }
    }
}
