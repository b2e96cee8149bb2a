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

    /// - Returns: why nobody could listen there now, as errno; `nil` when somebody could.
    static func problem(host: String, port: Int) -> Int32? {
        errno = 0
        return bind(host: host, port: port, isReused: true) == nil ? (errno == 0 ? EINVAL : errno) : nil
    }

    private static func isFree(host: String, port: Int) -> Bool { bind(host: host, port: port) != nil }

    /// Binds and lets go again.
    /// - Returns: the port; `nil` when it is taken or the host is not ours.
    /// - Parameter isReused: whether earlier connections that are still closing do not count, as for a server that
    ///   starts again.
    private static func bind(host: String, port: Int, isReused: Bool = false) -> Int? {
        let name = host == "localhost" ? "127.0.0.1" : host
        return name.contains(":") ? bindV6(name, port, isReused) : bindV4(name, port, isReused)
    }

    private static func bindV4(_ host: String, _ port: Int, _ isReused: Bool) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
        guard bindAndRead(&address, family: AF_INET, isReused: isReused) else { return nil }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func bindV6(_ host: String, _ port: Int, _ isReused: Bool) -> Int? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
        guard bindAndRead(&address, family: AF_INET6, isReused: isReused) else { return nil }
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    private static func bindAndRead<Address>(_ address: inout Address, family: Int32, isReused: Bool) -> Bool {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer {
            // Closing must not hide why it did not work.
            let problem = errno
            close(descriptor)
            errno = problem
        }
        if isReused {
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
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
