package import Bridge
package import Hummingbird
import HTTPTypes
import Logging
import NIOCore

/// What travels with a request besides the request itself.
package struct BridgeRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` on a Unix domain socket.
    let peer: NetworkAddress?
    /// Made here, or adopted from a trusted proxy; set by the outermost middleware before anything else runs.
    package internal(set) var requestID = ""
    /// The client's address, seen through the trusted proxies.
    package internal(set) var address: NetworkAddress?
    /// The repetition of the page that is asked for.
    var repetition = PageRepetition.never

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress.flatMap { NetworkAddress($0) }
    }

    /// Who asks, for limits and audit.
    package func origin(of request: Request) -> RequestOrigin {
        RequestOrigin(address: address, userAgent: request.headers.value(of: .userAgent), requestID: requestID)
    }
}

extension NetworkAddress {
    /// The address as it is in the socket, without a detour through its text, which every request would pay for.
    /// - Returns: `nil` for a Unix domain socket.
    init?(_ socket: SocketAddress) {
        // The offsets of `sin_addr` and `sin6_addr` in their structures (RFC 3493 §3.3).
        switch socket {
        case .v4(let address): self.init(octets: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(octets: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }
}
