import Bridge
import Glibc
import NIOCore
import Synchronization
import Testing

@testable import Federation

/// What is known of events given to a receiver that acknowledges nothing: whether its system has them.
@Suite struct SyslogConnectionTests {
    private static let items: [AuditForwardItem] = (1...80).map { number -> AuditForwardItem in
        let event = AuditEvent(
            at: TestToken.now, type: .loginTokenRedeemed, outcome: .success,
            subject: Subject(rawValue: String(repeating: "s", count: 500)))
        let record = AuditRecord(
            chaining: event, node: "main", sequence: Int64(number), previousHash: AuditRecord.genesis)
        return .entry(.intact(record))
    }

    @Test func `events that wait here for a receiver that hangs are not delivered until it reads`() async throws {
        let receiver = try HangingReceiver()
        let transport = SyslogTransport(host: "127.0.0.1", port: receiver.port, tls: nil, message: SyslogMessage())
        let connected = try await transport.connect()
        var connection = try #require(connected as? SyslogConnection)
        let socket = try #require(connection.channel as? any SocketOptionProvider)
        connection.pause = { _ in
            let state = try await socket.getTCPInfo().get()
            receiver.look(
                isQuiet: state.tcpi_unacked == 0 && state.tcpi_probes == 0 && state.tcpi_retransmits == 0)
            await Task.yield()
        }
        try await connection.deliver(Self.items)
        #expect(receiver.hasBegun)
        await connection.close()
    }
}

/// Its system takes a few events, and it reads nothing until the sender's connection has looked finished a few times.
private final class HangingReceiver: Sendable {
    private struct State {
        var looks = 0
        var quietLooks = 0
        var connection: CInt?
    }

    private static let looksEnough = 1_000_000
    private static let quietLooksEnough = 10

    let port: Int
    private let listener: CInt
    private let state = Mutex(State())

    init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var capacity: CInt = 8_192
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &capacity, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        listener = descriptor
        port = Int(in_port_t(bigEndian: address.sin_port))
        try #require(isListening)
    }

    deinit {
        if let connection = state.withLock({ $0.connection }) { close(connection) }
        close(listener)
    }

    /// Whether it reads by now.
    var hasBegun: Bool { state.withLock { $0.connection != nil } }

    /// - Parameter isQuiet: whether the sender's system says that nothing is under way.
    func look(isQuiet: Bool) {
        state.withLock { state in
            state.looks += 1
            if isQuiet { state.quietLooks += 1 }
            guard state.quietLooks >= Self.quietLooksEnough || state.looks >= Self.looksEnough else { return }
            let connection = state.connection ?? accept(listener, nil, nil)
            state.connection = connection
            var buffer = [UInt8](repeating: 0, count: 65_536)
            _ = recv(connection, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        }
    }
}
