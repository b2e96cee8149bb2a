import ArgumentParser

/// The two loopback addresses (RFC 8252 §7.3).
enum LoopbackFamily: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ipv4
    case ipv6

    var host: String {
        switch self {
        case .ipv4: "127.0.0.1"
        case .ipv6: "::1"
        }
    }

    /// The host as an address writes it.
    var addressHost: String {
        switch self {
        case .ipv4: host
        case .ipv6: "[\(host)]"
        }
    }

    var other: LoopbackFamily { self == .ipv4 ? .ipv6 : .ipv4 }
}
