import Foundation

/// An IPv4 or IPv6 address. IPv4-mapped IPv6 (`::ffff:a.b.c.d`) is read as the IPv4 address it stands for.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family. A device may have addresses of both, so only those of one family are compared.
    package enum Family: Sendable { case v4, v6 }

    /// 4 or 16 bytes, network order.
    package let bytes: [UInt8]

    package var family: Family { bytes.count == 4 ? .v4 : .v6 }

    /// Reads the text form; no port, no brackets, no zone.
    package init?(_ text: String) {
        // C's text ends at its first zero: what follows it would be ignored.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(bytes: withUnsafeBytes(of: &v4) { Array($0) })
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(bytes: withUnsafeBytes(of: &v6) { Array($0) })
        } else {
            return nil
        }
    }

    /// An address as sockets hold it.
    /// - Parameter octets: 4 or 16 bytes, network order.
    /// - Returns: `nil` for another length.
    package init?(octets: [UInt8]) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.init(bytes: octets)
    }

    /// Bytes that are an address already, such as a network's first one.
    init(network bytes: [UInt8]) { self.bytes = bytes }

    private init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                let family = bytes.count == 4 ? AF_INET : AF_INET6
                _ = bytes.withUnsafeBytes {
                    inet_ntop(family, $0.baseAddress, text.baseAddress, socklen_t(text.count))
                }
                return text.baseAddress.map { strlen($0) } ?? 0
            }
        }
    }

    /// The network of `bits` leading bits that this address lies in.
    package func network(_ bits: Int) -> NetworkPrefix { NetworkPrefix(address: self, bits: bits) }

    /// The network that limits count by: /24 of IPv4, /64 of IPv6 (contract §12).
    package var limitNetwork: NetworkPrefix { network(family == .v4 ? 24 : 64) }

    /// Networks around ``limitNetwork`` that one customer of a provider may have whole, and how many times as much each
    /// may do: none for IPv4.
    package var widerNetworks: [(network: NetworkPrefix, factor: Int)] {
        family == .v4 ? [] : [(network(56), 4), (network(48), 16)]
    }

    /// The network that `bind=network` compares: /24 of IPv4, /48 of IPv6 (contract §3).
    package var bindingNetwork: NetworkPrefix { network(family == .v4 ? 24 : 48) }
}
