package import NIOCore

/// How much of the server's time and memory one connection may take.
package struct ServerLimits: Hashable, Sendable {
    static let maximumHeaderCount = 100

    /// From a connection's start, or its last answer, to the end of the next request's header: it bounds idle
    /// connections and clients that send a header byte by byte alike.
    package var headerTimeout: TimeAmount
    /// The time from the end of a header to the end of the body.
    package var bodyTimeout: TimeAmount
    /// All header fields together, in bytes.
    package var maximumHeaderSize: Int
    /// Beyond it new connections wait in the listen queue.
    package var maximumConnections: Int
    /// How long a peer may take next to nothing of an answer.
    package var readingTimeout: TimeAmount { headerTimeout * 4 }

    package init(
        headerTimeout: TimeAmount = .seconds(75), bodyTimeout: TimeAmount = .seconds(10),
        maximumHeaderSize: Int = 32 * 1024, maximumConnections: Int = 10_000
    ) {
        self.headerTimeout = headerTimeout
        self.bodyTimeout = bodyTimeout
        self.maximumHeaderSize = maximumHeaderSize
        self.maximumConnections = maximumConnections
    }
}
