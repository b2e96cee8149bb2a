import Foundation
import NIOCore
import NIOPosix
import SelfIssuedIdP

/// Every address of a host, not only the one that would be taken.
struct HostResolver: Sendable {
    /// By host, in lower case: for tests.
    let fixed: [String: [String]]

    func addresses(of address: WebAddress, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let hosts = fixed[address.host] ?? [address.host]
        let port = address.port
        // The system's resolver blocks.
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) { hosts.flatMap { Self.lookUp($0, port) } }
    }

    private static func lookUp(_ host: String, _ port: Int) -> [SocketAddress] {
        var wish = addrinfo()
        wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &wish, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let raw = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET:
                raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { found.append(SocketAddress($0.pointee)) }
            case AF_INET6:
                raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { found.append(SocketAddress($0.pointee)) }
            default: break
            }
        }
        return found
    }
}

/// Gives a connection the addresses that were checked, and no others: nothing is looked up a second time.
struct CheckedAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]
    let loop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { found(.inet) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { found(.inet6) }

    func cancelQueries() {}

    private func found(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == family })
    }
}

extension SocketAddress {
    /// In network order; none for what is not an internet address.
    var octets: [UInt8] {
        switch self {
        case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: []
        }
    }
}
