/// Where a request came from, as far as audit and limits need it.
package struct RequestOrigin: Hashable, Sendable {
    /// The client's address, after trusted proxies were taken off; `nil` for the command line.
    package let address: NetworkAddress?
    package let userAgent: String?
    package let requestID: String

    package init(address: NetworkAddress?, userAgent: String?, requestID: String) {
        self.address = address
        self.userAgent = userAgent.map { String($0.prefix(512)) }
        self.requestID = requestID
    }
}
