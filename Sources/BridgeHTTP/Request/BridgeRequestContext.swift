package import Bridge
package import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import OAuth2

/// What travels with a request besides the request itself.
package struct BridgeRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` for a request in process, in tests.
    let peer: NetworkAddress?
    /// Made here, or adopted from a trusted proxy; given by the outermost middleware before anything else runs.
    package private(set) var requestID = ""
    /// The client's address, seen through the trusted proxies.
    package internal(set) var address: NetworkAddress?
    /// The repetition of the page that is asked for.
    var repetition = PageRepetition.never
    private let connectedPeer = ConnectedPeer.current

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress.flatMap { NetworkAddress($0) }
    }

    /// Not Hummingbird's, which ``identify(as:)`` takes away.
    package var id: String { requestID }

    /// Gives the request its id, for what the service log is told about it as well. Hummingbird's own goes: neither the
    /// answer nor another log knows that.
    mutating func identify(as id: String) {
        requestID = id
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request_id"] = .string(id)
    }

    /// Refuses a request whose peer has closed the connection, or its own direction of it: what it would use up would
    /// be lost, and where another node was asked meanwhile, it would pass for a second use (ADR-0087).
    ///
    /// Asked right before something of one use is looked at, so that who goes early learns nothing, tries nothing and
    /// ends nothing. The write that uses it up asks again when its turn has come (``WaitingCaller``).
    /// - Throws: `invalid_request`, for whoever closed one direction only, and reads on.
    func requireAwaited() async throws {
        guard await connectedPeer?.hasLeft() != true else {
            throw CallerGone.refusal
        }
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
