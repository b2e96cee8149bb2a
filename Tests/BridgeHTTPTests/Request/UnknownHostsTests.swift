import Bridge
import BridgeTestSupport
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BridgeHTTP

/// A proxy that does not pass `Host` on.
@Suite struct UnknownHostsTests {
    private let clock = TestClock()
    private let log = LogLines()

    private func hosts() throws -> UnknownHosts {
        let shop = Client(
            id: "shop", name: "Shop", kind: .web, publicOrigin: WebOrigin("https://shop.example"))
        let reader = OriginReader(
            configured: Origins(
                website: try #require(WebOrigin("https://www.example")), issuer: WebOrigin("https://auth.example")),
            clients: Reloadable(ClientDirectory([shop], defaultTarget: nil)))
        return UnknownHosts(origins: reader, time: TimeSource { [clock] in clock.now })
    }

    private func ask(_ host: String?, _ hosts: UnknownHosts) {
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: host, path: "/sign-in"),
            body: RequestBody(buffer: ByteBuffer()))
        hosts.tell(of: request, logger: log.logger)
    }

    @Test func `a Host that is configured nowhere is in the service log, once a minute`() throws {
        let hosts = try hosts()
        for (seconds, told) in [(0, 1), (59, 1), (1, 2)] {
            clock.advance(by: .seconds(seconds))
            ask("127.0.0.1:8080", hosts)
            #expect(log.all.count == told)
        }
        #expect(log.all.first?.hasPrefix("warning: A request got 404 because its Host is no origin") == true)
        #expect(log.text.contains("127.0.0.1:8080"))
    }

    @Test func `origins that are configured are no news`() throws {
        let hosts = try hosts()
        for host in ["www.example", "auth.example", "AUTH.example", "shop.example"] { ask(host, hosts) }
        #expect(log.all == [])
    }

    @Test func `attack: a Host that is long, or no name, gets into the log short and in plain characters`() throws {
        let hosts = try hosts()
        ask("\u{1B}[2J\u{202E}" + String(repeating: "é", count: 10_000), hosts)
        let line = try #require(log.all.first)
        #expect(line.utf8.count < 600)
        #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }
}
