import HTTPTypes

extension HTTPField.Name {
    static let xForwardedFor = literal("X-Forwarded-For")
    static let xRequestID = literal("X-Request-Id")
    static let xCSRFToken = literal("X-CSRF-Token")
    /// W3C Trace Context.
    static let traceparent = literal("traceparent")
    /// Any `Host` besides the first, which is the request's authority: the server has taken it out of the header.
    static let furtherHost = literal("Host")

    /// A name that is known to be a token (RFC 9110 §5.6.2).
    static func literal(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else { preconditionFailure("not a header name") }
        return name
    }
}
