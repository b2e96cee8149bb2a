import Foundation

/// Ports that nobody listens on.
enum FreePort {
    /// A port that was free a moment ago.
    ///
    /// The listener binds it again a little later. Public pages need the port before the listener exists, because
    /// every link and the tokens' issuer name it.
    static func pick(host: String, startingAt first: Int? = nil) throws -> Int {
        if let first, first <= 65_535, isFree(host: host, port: first) { return first }
        guard let port = bind(host: host, port: 0) else { throw FreePortError(host: host) }
        return port
    }

    private static func isFree(host: String, port: Int) -> Bool { bind(host: host, port: port) != nil }

    /// Binds and lets go again.
    /// - Returns: the port; `nil` when it is taken or the host is not ours.
    private static func bind(host: String, port: Int) -> Int? {
        let name = host == "localhost" ? "127.0.0.1" : host
        return name.contains(":") ? bindV6(name, port) : bindV4(name, port)
    }

    private static func bindV4(_ host: String, _ port: Int) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
        guard bindAndRead(&address, family: AF_INET) else { return nil }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func bindV6(_ host: String, _ port: Int) -> Int? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
        guard bindAndRead(&address, family: AF_INET6) else { return nil }
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    private static func bindAndRead<Address>(_ address: inout Address, family: Int32) -> Bool {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
    }
}

struct FreePortError: Error, CustomStringConvertible {
    let host: String
    var description: String { "no port is free on \(host)" }
}
