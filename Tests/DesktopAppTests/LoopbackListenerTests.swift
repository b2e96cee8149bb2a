import Foundation
import Glibc
import Testing

@testable import drawbridge_app

@Suite struct LoopbackListenerTests {
    private static func port(_ listener: LoopbackListener) throws -> Int {
        try #require(URL(string: listener.address)?.port)
    }

    /// Listens, takes what has the right state, and hands over what came.
    private func listening(
        _ work: (_ port: Int, _ answers: AsyncStream<String>) async throws -> Void
    ) async throws {
        let listener = try await LoopbackListener.bind(.ipv4)
        let answers = listener.answers { $0.contains("state=right") ? .finished : .notOurs }
        let result: Result<Void, any Error>
        do { result = .success(try await work(Self.port(listener), answers)) } catch { result = .failure(error) }
        await listener.close()
        try result.get()
    }

    @Test(arguments: [
        ("/", "GET"), ("/callback/", "GET"), ("/callback/x?state=right", "GET"), ("/Callback?state=right", "GET"),
        ("//callback?state=right", "GET"), ("/callback%2f?state=right", "GET"), ("/callback?state=right", "POST"),
        ("/callback?state=right", "HEAD"), ("/callback?state=wrong&code=c", "GET"), ("/callback", "GET"),
        ("/favicon.ico", "GET"),
    ])
    func `nothing but the answer at its exact address is taken`(_ target: String, _ method: String) async throws {
        try await listening { port, answers in
            let host = "127.0.0.1:\(port)"
            let refused = RawRequest.get(target, host: host, port: port, method: method)
            #expect(refused?.hasPrefix("HTTP/1.1 404") == true)
            let taken = RawRequest.get("/callback?code=c&state=right", host: host, port: port)
            #expect(taken?.hasPrefix("HTTP/1.1 200") == true, "the listener goes on")
            #expect(await answers.first { _ in true } == "http://\(host)/callback?code=c&state=right")
        }
    }

    @Test(arguments: ["evil.example", "127.0.0.1", "localhost:PORT", "127.0.0.1:1", "127.0.0.1:PORT\r\nHost: x"])
    func `a page that gives us a name of its own gets nothing`(_ host: String) async throws {
        try await listening { port, _ in
            let host = host.replacing("PORT", with: "\(port)")
            let answer = RawRequest.get("/callback?code=c&state=right", host: host, port: port)
            #expect(answer?.hasPrefix("HTTP/1.1 404") == true)
        }
    }

    @Test func `one port is ours on both address families`() async throws {
        try await listening { port, answers in
            let answer = RawRequest.get("/callback?state=right", host: "[::1]:\(port)", port: port, ipv6: true)
            #expect(answer?.hasPrefix("HTTP/1.1 200") == true)
            #expect(await answers.first { _ in true } == "http://[::1]:\(port)/callback?state=right")
        }
    }

    /// Neither `SO_REUSEADDR` nor `SO_REUSEPORT` is set (RFC 8252 §B.5): another process that sets both gets nothing.
    @Test func `nobody else can listen at the port while the app waits`() async throws {
        try await listening { port, _ in
            let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { _ = Glibc.close(other) }
            var yes: Int32 = 1
            for option in [SO_REUSEADDR, SO_REUSEPORT] {
                #expect(setsockopt(other, SOL_SOCKET, option, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0)
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(bound == -1 && errno == EADDRINUSE)
        }
    }

    @Test func `a second answer is not taken`() async throws {
        try await listening { port, answers in
            let host = "127.0.0.1:\(port)"
            _ = RawRequest.get("/callback?state=right&code=1", host: host, port: port)
            let second = RawRequest.get("/callback?state=right&code=2", host: host, port: port)
            #expect(second?.hasPrefix("HTTP/1.1 404") == true)
            var taken: [String] = []
            for await answer in answers { taken.append(answer) }
            #expect(taken.map { $0.hasSuffix("code=1") } == [true])
        }
    }

    @Test func `nobody listens after the end`() async throws {
        let listener = try await LoopbackListener.bind(.ipv4)
        let port = try Self.port(listener)
        await listener.close()
        #expect(RawRequest.get("/callback", host: "127.0.0.1:\(port)", port: port) == nil)
        #expect(RawRequest.get("/callback", host: "[::1]:\(port)", port: port, ipv6: true) == nil)
    }

    @Test func `the redirect address can be the IPv6 one`() async throws {
        let listener = try await LoopbackListener.bind(.ipv6)
        #expect(listener.address == "http://[::1]:\(try Self.port(listener))/callback")
        await listener.close()
    }

    @Test func `RFC 8252 §8.10: an issuer may have a path of its own, and then no other is answered`() async throws {
        let listener = try await LoopbackListener.bind(.ipv4, path: "/callback/id.example.com")
        let port = try Self.port(listener)
        #expect(listener.address == "http://127.0.0.1:\(port)/callback/id.example.com")
        let answers = listener.answers { _ in .finished }
        let usual = RawRequest.get("/callback?code=c", host: "127.0.0.1:\(port)", port: port)
        #expect(usual?.hasPrefix("HTTP/1.1 404") == true)
        let own = RawRequest.get("/callback/id.example.com?code=c", host: "127.0.0.1:\(port)", port: port)
        #expect(own?.hasPrefix("HTTP/1.1 200") == true)
        #expect(await answers.first { _ in true } == "\(listener.address)?code=c")
        await listener.close()
    }

    @Test func `the page holds nothing of the answer and loads nothing`() async throws {
        try await listening { port, _ in
            let answer = try #require(
                RawRequest.get("/callback?state=right&code=very-secret", host: "127.0.0.1:\(port)", port: port))
            #expect(!answer.contains("very-secret"))
            #expect(!answer.contains("http:"))
            for header in [
                "Cache-Control: no-store", "Referrer-Policy: no-referrer", "default-src 'none'", "Connection: close",
            ] {
                #expect(answer.contains(header))
            }
        }
    }
}
