import Bridge

/// A host and a port to listen on, `127.0.0.1:8080` or `[::1]:8080`.
struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    let host: String
    /// 0 lets the system pick a free one.
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Accepts an IP address (IPv6 in brackets) or `localhost`, a colon and a port.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let portText = text[text.index(after: colon)...]
        guard let port = Int(portText), (0...65_535).contains(port), String(port) == portText else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard NetworkAddress(host)?.family == .v6 else { return nil }
        } else {
            guard host == "localhost" || NetworkAddress(host)?.family == .v4 else { return nil }
        }
        self.init(host: host, port: port)
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Where this machine connects to it: the address that stands for every address is not one to connect to.
    var reachable: ListenAddress {
        switch host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: port)
        case "::": ListenAddress(host: "::1", port: port)
        default: self
        }
    }

    /// Whether only this machine can connect.
    var isLoopback: Bool { host == "localhost" || host.hasPrefix("127.") || host == "::1" }
}
