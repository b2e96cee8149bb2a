package import Bridge
package import Hummingbird
import HTTPTypes
import Logging
import NIOCore

/// What travels with a request beside the request itself.
package struct BridgeRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` on a Unix domain socket.
    let peer: NetworkAddress?
    /// Made here, or adopted from a trusted proxy; set by the outermost middleware before anything else runs.
    package internal(set) var requestID = ""
    /// The client's address, seen through the trusted proxies.
    package internal(set) var address: NetworkAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
    }

    /// Who asks, for limits and audit.
    package func origin(of request: Request) -> RequestOrigin {
        RequestOrigin(address: address, userAgent: request.headers[.userAgent], requestID: requestID)
    }
}
